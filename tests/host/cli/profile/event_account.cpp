// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/profile/event_account.cpp  The lost part of an event, and the scaling of
 * its values.
 */
#include "cli/profile/event_account.h"
#include "cli/objects/tally.h"
#include "cli/profile/about.h"
#include "cli/recording/recorded_profile.h"
#include "cli/rows/events.h"
#include "tests/support/catch.h"

using namespace cli;

TEST_CASE("an event that was counted all the time has no line and its own values", "[cli][events]")
{
	const EventAccount account{"page-faults", 0, 0, 0, 1000, 1000};

	CHECK(account.is_whole());
	CHECK(event_account_lines(account).empty());
	CHECK(account.scaled(12345) == 12345);
	/* An older module does not report these times. */
	CHECK(EventAccount{}.is_whole());
	CHECK(EventAccount{}.scaled(12345) == 12345);
}

TEST_CASE("an event that was counted for a part of the time is scaled, and says so", "[cli][events]")
{
	const EventAccount account{"cycles", 0, 0, 0, 4000, 1000};

	CHECK_FALSE(account.is_whole());
	CHECK(account.scaled(3) == 12);
	CHECK(account.scaled(UINT64_MAX / 2) == UINT64_MAX);
	CHECK(event_account_lines(account) ==
	      std::vector<std::string>{"cycles: counted 25.00 % of the time, because there are too few "
				       "counters for all events: its values are scaled up"});
	/* The event never had a counter. */
	CHECK(EventAccount{"cycles", 0, 0, 0, 4000, 0}.scaled(3) == 3);
}

TEST_CASE("missed and throttled ticks are said with what helps", "[cli][events]")
{
	const std::vector<std::string> lines = event_account_lines({"cycles", 0, 1, 20, 10, 10});

	REQUIRE(lines.size() == 2);
	CHECK(lines[0] ==
	      "cycles: stopped 20 times until the kernel's next tick, because it occurred too often, "
	      "so its values are too small (a longer period helps, or a higher "
	      "kernel.perf_event_max_sample_rate)");
	CHECK(lines[1] == "cycles: 1 tick missed, of any process, because the module was busy on that CPU");
}

TEST_CASE("an event's account survives being written as text, and no other text is read as one",
	  "[cli][events]")
{
	const EventAccount account{"mem:0x601040:rw", 9, 1, 2, 3, 4};

	CHECK(to_text(account) == "9 1 2 3 4 mem:0x601040:rw");
	CHECK(parse_event_account(to_text(account)) == account);
	for (const char *text :
	     {"", "1", "1 2 3 4", "1 2 3 4 5", "1 2 3 4 x cycles", "-1 2 3 4 5 cycles", "a 2 3 4 5 cycles"})
		CHECK_FALSE(parse_event_account(text));
}

TEST_CASE("an event's account is that of the first profile of a session which has one", "[cli][events]")
{
	constexpr std::string_view clock = "session:\t1\nprofile:\t1\nticks:\t5\n";
	constexpr std::string_view event = "profile:\t2\nevent:\t0 0\nevent_missed:\t1\nevent_throttled:\t2\n"
					   "event_enabled_ns:\t30\nevent_running_ns:\t20\n";

	CHECK_FALSE(event_account_of_fdinfo(clock));
	CHECK(event_account_of_fdinfo(std::string(clock).append(event)) == EventAccount{"", 0, 1, 2, 30, 20});
	CHECK_FALSE(event_account_of_fdinfo(event.substr(0, event.find("event_running_ns"))));
}

TEST_CASE("a recording scales each event by its own account, and keeps what was lost", "[cli][events]")
{
	Recording recording;
	const auto object = std::make_shared<Object>();
	std::vector<std::string> warnings;

	object->name = "[vdso]";
	object->source = Source::Anonymous;
	recording.tally.add(object, {0x10, 0, 0}, 6);
	recording.tally.add(object, {0x10, 0, 1}, 7);
	recording.events = {{"", 0, 0, 0, 900, 300}, {"", 0, 0, 0, 900, 900}};

	const RecordedTime time{0, 1, {{"cycles", "count", 10}, {"page-faults", "count", 1}}};
	const Profile profile = recorded_profile(recording, time, Lines::OfFewPlaces, warnings);

	REQUIRE(profile.samples.size() == 1);
	CHECK(profile.samples[0].values == std::vector<int64_t>{6, 180, 7});
	CHECK(from_comments(profile.comments).events ==
	      std::vector<EventAccount>{{"cycles", 10, 0, 0, 900, 300}, {"page-faults", 1, 0, 0, 900, 900}});
	/* A sum of profiles adds their accounts. */
	const About one = from_comments(profile.comments);

	CHECK(merge_abouts(std::vector{one, one}).events ==
	      std::vector<EventAccount>{{"cycles", 10, 0, 0, 1800, 600},
					{"page-faults", 1, 0, 0, 1800, 1800}});
	/* The scaled period of each event. */
	CHECK(event_periods(profile) == std::vector<uint64_t>{30, 1});
	CHECK(profile_accounting_lines(profile) == event_account_lines({"cycles", 10, 0, 0, 900, 300}));
}

TEST_CASE("the losses of sources and their parts add up by source", "[cli][events]")
{
	std::vector<EventAccount> sums;

	add_events(sums, {}, 3);
	CHECK(sums.empty());
	add_events(sums, {{"", 0, 1, 0, 10, 10}}, 1);
	add_events(sums, {{"", 0, 0, 2, 5, 4}, {"", 0, 3, 0, 5, 5}});
	CHECK(sums == std::vector<EventAccount>{{"", 0, 0, 2, 5, 4}, {"", 0, 4, 0, 15, 15}});
	CHECK(EventAccount{"", 0, 5, 2, 30, 20}.since({"", 0, 1, 2, 10, 15}) ==
	      EventAccount{"", 0, 4, 0, 20, 5});
}
