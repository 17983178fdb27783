// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/top/events.cpp  profil top of events: the options, the columns,
 * the keys. */
#include "tests/host/cli/commands/top/support.h"

#include "cli/base/characters.h"
#include "cli/commands/top/options.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/event_profile.h"

#include <fstream>

using namespace cli;
using namespace top_test;

namespace {

/** profil top of a file with three events. */
struct EventFileTop {
	TopFile file{event_profile()};
	Top top{file, {}};
};

std::vector<SampleSource> faults_and_switches()
{
	return {{"page-faults", "count", 1, {}}, {"context-switches", "count", 10, {}}};
}

/** A program, and profil top of two of its events. */
struct LiveEventTop {
	const Program program;
	const std::shared_ptr<Object> object = program.object();
	Feed feed{faults_and_switches()};
	Top top{feed, {}};

	/** Adds samples, not events: a sample of context switches stands for ten of them. */
	void come(const std::string &function, uint64_t faults, uint64_t switches)
	{
		const uint64_t address = program.address(function);

		if (faults)
			feed.come(object, address, faults);
		if (switches)
			feed.come(object, address, switches, 0, 1);
	}
};

/** The command's message when its usage is wrong. */
std::string usage_error_of(const std::string &arguments)
{
	const support::Output output = support::run(support::build_dir() + "/profil top " + arguments);

	CAPTURE(arguments, output.text);
	CHECK(output.status == 2);
	return output.text.substr(0, output.text.find(" (see profil top --help)\n"));
}

} // namespace

TEST_CASE_METHOD(EventFileTop, "top of a file of events has a column for each, exactly", "[cli][top]")
{
	CHECK(top.text(0, 20, false) ==
	      "profil top: 1,000 page-faults, 50 context-switches, 3,000,000 cycles in 1.50 s\n"
	      "load (pid 4711)\n"
	      "\n"
	      "page-faults       %  context-switches %  cycles %  function  object\n"
	      "        900   90.00                0.00     33.33  touch     load\n"
	      "        100   10.00               18.00     66.67  grow      load\n"
	      "          0    0.00               82.00      0.00  wait      load\n"
	      "\n"
	      "1,053  100.00 %  ticks of events\n"
	      "1,053  100.00 %  counted\n");
}

TEST_CASE_METHOD(EventFileTop, "e sorts by the next event, whose count then comes first", "[cli][top]")
{
	CHECK(has(screen(top), "  e event  Enter annotate\n"));
	press(top, U"e");
	CHECK(has(screen(top), "sorted by context-switches\n"));
	press(top, U"r");
	CHECK(top.text(0, 2, false) ==
	      "profil top: 1,000 page-faults, 50 context-switches, 3,000,000 cycles in 1.50 s\n"
	      "load (pid 4711)\n"
	      "by context-switches\n"
	      "\n"
	      "context-switches       %  page-faults %  cycles %  function  object\n"
	      "              41   82.00           0.00      0.00  wait      load\n"
	      "               9   18.00          10.00     66.67  grow      load\n"
	      "... and 1 more row, of 0 context-switches (0.00 %)\n"
	      "\n"
	      "1,053  100.00 %  ticks of events\n"
	      "1,053  100.00 %  counted\n");
	press(top, U"e");
	CHECK(has(top.text(0, 1, false), "\n   cycles       %  page-faults %  context-switches %  function"));
	CHECK(has(top.text(0, 1, false), "\n2,000,000   66.67          10.00               18.00  grow "));
	press(top, U"e");
	CHECK(has(screen(top), "sorted by page-faults\n"));
	CHECK_FALSE(has(screen(top), "\nby "));
	press(top, U"es");
	CHECK(has(screen(top), "\nby delta of context-switches\n"));
	press(top, U"sR");
	CHECK(has(screen(top), "\nby name, reversed\n"));
}

TEST_CASE_METHOD(EventFileTop, "the selected row stays selected when another event sorts the rows",
		 "[cli][top]")
{
	press(top, U"j");
	CHECK(has(selected_of(top.frame(usual, false)), "grow"));
	press(top, U"e");
	CHECK(has(selected_of(top.frame(usual, false)), "grow"));
	CHECK(has(screen(top), "82.00           0.00      0.00  wait"));
}

TEST_CASE_METHOD(EventFileTop, "a filter leaves out what it says of the event that leads", "[cli][top]")
{
	press(top, U"/touch\r");
	CHECK(has(screen(top), "\n100 page-faults (10.00 %) left out by the filter\n"));
	press(top, U"e");
	CHECK(has(screen(top), "\n50 context-switches (100.00 %) left out by the filter\n"));
}

TEST_CASE_METHOD(EventFileTop, "a function that only a later event has can be annotated", "[cli][top]")
{
	press(top, U"G\r");
	CHECK(has(screen(top), "profil top: wait\n"));
}

TEST_CASE_METHOD(EventFileTop, "columns of later events are left out first, after those of the refresh",
		 "[cli][top]")
{
	CHECK(has(screen(top, {70, 20}), "page-faults       %  context-switches %  cycles %  function  obj"));
	CHECK(has(screen(top, {60, 20}), "\n     %  context-switches %  cycles %  function  object\n"));
	CHECK(has(screen(top, {45, 20}), "\n     %  context-switches %  function  object\n"));
	CHECK(has(screen(top, {30, 20}), "\n     %  function  object\n"));
	for (size_t width = 1; width < 100; width++) {
		for (const ScreenLine &line : top.frame({width, 24}, false)) {
			CAPTURE(width, line.text);
			CHECK(columns(line.text) <= width);
		}
	}
}

TEST_CASE_METHOD(FileTop, "a profile of time alone cannot be sorted by event", "[cli][top]")
{
	press(top, U"e");
	CHECK(has(screen(top), "\nthere is no other event to sort by (record several with -e)\n"));
	CHECK_FALSE(has(screen(top), "e event"));
}

TEST_CASE("one event is counted by its period, as each of several is", "[cli][top]")
{
	const Program program;
	const auto object = program.object();
	Feed feed({{"page-faults", "count", 100, {}}});
	Top top(feed, {});

	feed.come(object, program.address("main"), 3);
	top.refresh();
	CHECK(has(screen(top), "profil top: 300 page-faults (1 in 100) in 1.50 s\n"));
	CHECK(has(screen(top), "page-faults       %   delta   now %  function  object\n"));
	CHECK(has(screen(top), "        300  100.00    +300  100.00  main      program\n"));
	press(top, U"e");
	CHECK(has(screen(top), "\nthere is no other event to sort by (start several with -e)\n"));
}

TEST_CASE_METHOD(LiveEventTop, "events come with each refresh, and each has its own share", "[cli][top]")
{
	come("main", 60, 1);
	come("hidden(", 40, 0);
	top.refresh();
	come("main", 10, 0);
	come("deep::Worker::run", 0, 3);
	top.refresh();

	const std::string text = top.text(0, 20, false);

	CHECK(has(text, "profil top: 110 page-faults, 40 context-switches (1 in 10) in 1.50 s\n"));
	CHECK(has(text,
		  "page-faults       %   delta   now %  context-switches %  function           object\n"));
	CHECK(has(text,
		  "         70   63.64     +10  100.00               25.00  main               program\n"));
	CHECK(has(text,
		  "         40   36.36            0.00                0.00  hidden             program\n"));
	CHECK(has(text,
		  "          0    0.00            0.00               75.00  deep::Worker::run  program\n"));

	press(top, U"e");
	const std::string other = top.text(0, 20, false);

	CHECK(has(other,
		  "context-switches       %   delta   now %  page-faults %  function           object\n"
		  "              30   75.00     +30  100.00           0.00  deep::Worker::run  program\n"
		  "              10   25.00            0.00          63.64  main               program\n"
		  "               0    0.00            0.00          36.36  hidden             program\n"));
	/* The next refresh has new samples of both events. */
	come("main", 1, 1);
	top.refresh();
	CHECK(has(top.text(0, 20, false), "              20   40.00     +10  100.00          63.96  main "));

	press(top, U"z");
	CHECK(has(screen(top), "profil top: 0 page-faults, 0 context-switches (1 in 10) in"));
	CHECK_FALSE(has(screen(top), "main"));
	come("main", 0, 2);
	top.refresh();
	CHECK(has(screen(top), "              20  100.00     +20  100.00           0.00  main "));
}

TEST_CASE_METHOD(LiveEventTop, "the title says how much events have lost, and a line below it what helps",
		 "[cli][top]")
{
	come("main", 6, 6);
	feed.account({{"", 0, 2, 0, 0, 0}, {"", 0, 0, 1, 1000, 500}});
	top.refresh();
	/* Switches were counted half the time before the first refresh, and always after it. */
	come("main", 3, 6);
	feed.account({{"", 0, 1, 0, 0, 0}, {"", 0, 0, 2, 500, 500}});
	top.refresh();

	const std::string text = top.text(0, 20, false);

	CHECK(has(text, "profil top: 9 page-faults (3 ticks missed), 180 context-switches (1 in 10; counted "
			"66.67 % of the time; stopped 3 times) in 1.50 s\n"));
	CHECK(has(text, "          9  100.00      +3  100.00              100.00  main "));
	CHECK(has(text, "\npage-faults: 3 ticks missed, of any process, because the module was busy on "
			"that CPU\n"));
	CHECK(has(text, "\ncontext-switches: counted 66.67 % of the time, because there are too few counters "
			"for all events: its values are scaled up\n"));
	/* On a low screen, one line with the ticks precedes the events. */
	feed.said = {"1 process was not attached: permission denied: sshd (pid 1)"};
	CHECK(has(screen(top, {100, 16}), "\n21 ticks: 100.00 % counted\npage-faults: 3 ticks missed"));
	press(top, U"zr");
	CHECK(has(screen(top), "profil top: 0 page-faults, 0 context-switches (1 in 10) in"));
}

TEST_CASE("instructions and cycles have a column of their ratio", "[cli][top]")
{
	const Program program;
	const auto object = program.object();
	Feed feed({{"instructions:u", "count", 1000, {}}, {"cycles:u", "count", 500, {}}});
	Top top(feed, {});

	feed.come(object, program.address("main"), 3);
	feed.come(object, program.address("main"), 4, 0, 1);
	feed.come(object, program.address("hidden("), 1);
	top.refresh();
	CHECK(has(top.text(0, 20, false), "  cycles:u %     IPC  function  object\n"));
	CHECK(has(top.text(0, 20, false), "    100.00     1.5  main      program\n"));
	CHECK(has(top.text(0, 20, false), "      0.00          hidden    program\n"));
}

TEST_CASE("when there are too many places, those stay that any event has most samples of", "[cli][top]")
{
	const Program program;
	const auto object = program.object();
	LiveLimits limits;

	limits.places = 4;

	Feed feed({{"page-faults", "count", 1, {}}, {"cycles", "count", 1000, {}}}, limits);
	const uint64_t main = program.address("main");
	const uint64_t hidden = program.address("hidden(");

	feed.come(object, main, 1, 0, 1);
	feed.come(object, main + 4, 3);
	feed.come(object, hidden, 100, 0, 1);
	feed.come(object, hidden + 4, 99);
	feed.take();
	feed.come(object, hidden, 1, 0, 1);

	const std::vector<Change> changes = feed.take();

	CHECK(feed.edition() == 1);
	REQUIRE(changes.size() == 1);
	CHECK(changes[0].amount == 1000);
	CHECK(changes[0].value == 2);

	TopRows rows(feed.profile(), {}, changes, 1);

	REQUIRE(rows.shown() == 2);
	CHECK(rows.samples() == 102'000);
	CHECK(rows.fresh() == 1000);
	CHECK(rows.total(0).samples == 102);

	const std::vector<size_t> order = rows.first(2, TopOrder::Samples, false);

	CHECK(rows.names(order[0]).function == "hidden(unsigned long)");
	CHECK(rows.amount(order[0], 0).samples == 99);
	CHECK(rows.amount(order[0], 1).samples == 101'000);
	CHECK(rows.names(order[1]).function == "[other]");
	CHECK(rows.amount(order[1], 0).samples == 3);
	CHECK(rows.amount(order[1], 1).samples == 1000);
}

TEST_CASE("top's options for events are taken, and what makes no sense is wrong usage", "[cli][top]")
{
	TopOptions options;

	REQUIRE_FALSE(parse_top_options(
		{"-e", "page-faults,cs:10", "-e", "cycles:u", "--order", "cycles", "-p", "1"}, options));
	REQUIRE(options.target.events.size() == 3);
	CHECK(options.target.events[1].name == "cs");
	CHECK(options.target.events[1].period == 10);
	CHECK(options.order == "cycles");
	CHECK(*find_top_order("cycles", {"page-faults", "cs", "cycles:u"}) == 2);
	CHECK(*find_top_order("", {}) == 0);

	CHECK(usage_error_of("-e page-faults -F 99 -p 1") ==
	      "profil top: -F and -c are for time; an event's period follows its name (-e "
	      "page-faults:10; see profil top --help)\n");
	CHECK(usage_error_of("-e page-faults -c 99 -p 1") ==
	      "profil top: -F and -c are for time; an event's period follows its name (-e "
	      "page-faults:10; see profil top --help)\n");
	CHECK(has(usage_error_of("-e nonsense -p 1"), "'nonsense'"));
	CHECK(usage_error_of("-e page-faults,cs --order cycles -p 1") ==
	      "profil top: --order: 'cycles' is not one of page-faults, cs");
	CHECK(usage_error_of("--order cycles -p 1") ==
	      "profil top: --order: 'cycles': the profile does not have several events");
	CHECK(usage_error_of("-e page-faults -i profil.pb.gz") ==
	      "profil top: give either --input or what to profile, not both");
}

TEST_CASE("top --order sorts the rows of a file by any of its events", "[cli][top]")
{
	const support::TemporaryDirectory directory;
	const std::string command =
		support::build_dir() + "/profil top --batch --limit 1 -i " + (directory / "p.pb.gz");

	std::ofstream(directory / "p.pb.gz") << encode_pprof(event_profile());

	const support::Output first = support::run(command);
	const support::Output third = support::run(command + " --order cycles");
	const support::Output none = support::run(command + " --order samples");

	CHECK(first.status == 0);
	CHECK(has(first.text, "\n        900   90.00 "));
	CHECK(third.status == 0);
	CHECK(has(third.text, "\nby cycles\n"));
	CHECK(has(third.text, "\n2,000,000   66.67 "));
	CHECK(none.status == 1);
	CHECK(none.text ==
	      "profil top: --order: 'samples' is not one of page-faults, context-switches, cycles\n");
}
