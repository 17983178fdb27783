// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/status/status.cpp  profil status without the module: its
 * input, its measurements and its output. */
#include "cli/commands/status/status.h"
#include "cli/process/account_names.h"
#include "tests/host/cli/commands/status/support.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"
#include "tests/support/skip.h"
#include "tests/support/text.h"

#include <fmt/format.h>
#include <numeric>

using namespace cli_test;
using support::has;
using support::run;
using support::TemporaryDirectory;

namespace {

constexpr char fdinfo[] = "pos:\t0\n"
			  "flags:\t02000000\n"
			  "mnt_id:\t6\n"
			  "session:\t17\n"
			  "profile:\t1\n"
			  "pids:\t185 186 ...\n"
			  "processes:\t40\n"
			  "state:\trunning\n"
			  "period:\t1001001\n"
			  "ticks:\t100\n"
			  "counted:\t90\n"
			  "lost:\t4\n"
			  "pinned_pages:\t16\n"
			  "profile:\t3\n"
			  "pids:\t\n"
			  "processes:\t0\n"
			  "state:\tfull\n"
			  "period:\t10\n"
			  "event:\t1 0x2\n"
			  "event_missed:\t3\n"
			  "event_throttled:\t2\n"
			  "event_enabled_ns:\t4000\n"
			  "event_running_ns:\t1000\n"
			  "ticks:\t5\n"
			  "counted:\t5\n"
			  "lost:\t0\n";

support::Output profil(const std::string &arguments)
{
	return run(support::build_dir() + "/profil " + arguments);
}

cli::Status status_of(const Tree &tree)
{
	cli::Status status;

	status.machine = tree.read();
	status.permissions = capable();
	status.abilities = cli::judge(status.machine, status.permissions);
	status.search = cli::find_sessions(tree.root());
	return status;
}

/** A machine on which a process of this user has opened /dev/profil. */
void write_session(const Tree &tree)
{
	write_kernel(tree);
	write_module(tree);
	tree.write("/proc/77/comm", "profil\n");
	tree.link("/proc/77/fd/3", "/dev/profil");
	tree.write("/proc/77/fdinfo/3", fdinfo);
}

} // namespace

TEST_CASE("the module's lines of a fdinfo are understood", "[cli][status]")
{
	const std::optional<cli::HeldSession> session = cli::parse_fdinfo(fdinfo);

	REQUIRE(session);
	CHECK(session->id == 17);
	REQUIRE(session->profiles.size() == 2);
	CHECK(session->profiles[0].id == 1);
	CHECK(session->profiles[0].pids == std::vector<pid_t>{185, 186});
	CHECK(session->profiles[0].more_pids);
	CHECK(session->profiles[0].processes == 40);
	CHECK(session->profiles[0].state == "running");
	CHECK(session->profiles[0].period == 1001001);
	CHECK(session->profiles[0].ticks == 100);
	CHECK(session->profiles[0].counted == 90);
	CHECK(session->profiles[0].lost == 4);
	CHECK(session->profiles[0].pinned_pages == 16);
	CHECK(session->profiles[1].id == 3);
	CHECK(session->profiles[1].pids.empty());
	CHECK(session->profiles[1].event == "page-faults");
	CHECK(session->profiles[1].account == cli::EventAccount{"page-faults", 0, 3, 2, 4000, 1000});
	CHECK(session->profiles[1].period == 10);
	CHECK(session->profiles[0].event.empty());
	CHECK_FALSE(session->profiles[1].pinned_pages);
	CHECK_FALSE(cli::parse_fdinfo("pos:\t0\nprofile:\t1\n"));
	CHECK_FALSE(cli::parse_fdinfo(""));
	CHECK(cli::parse_fdinfo("session:\tx")->id == 0);
}

TEST_CASE("a session that several processes have open is found once, with the first of them", "[cli][status]")
{
	const Tree tree;

	write_session(tree);
	tree.write("/proc/99/comm", "child\n");
	tree.link("/proc/99/fd/3", "/dev/profil");
	tree.write("/proc/99/fdinfo/3", fdinfo);
	tree.link("/proc/99/fd/4", "/dev/null");
	tree.write("/proc/99/fdinfo/4", "session:\t18\n");
	tree.write("/proc/self/fdinfo/3", fdinfo);
	const cli::SessionSearch search = cli::find_sessions(tree.root());

	REQUIRE(search.sessions.size() == 1);
	CHECK(search.sessions[0].pid == 77);
	CHECK(search.sessions[0].process == "profil");
	CHECK(search.sessions[0].user == getuid());
	CHECK(search.hidden == 0);
}

TEST_CASE("the machine's files are read, whatever is in them", "[cli][status]")
{
	const Tree tree;

	write_kernel(tree);
	write_module(tree);
	tree.write("/sys/module/profil/parameters/max_rate", "a lot\n");
	tree.write("/proc/sys/kernel/yama/ptrace_scope", "1\n");
	const cli::Machine machine = tree.read();

	CHECK(machine.loaded);
	CHECK(machine.version == profil_version());
	CHECK(machine.parameters == std::map<std::string, uint64_t>{{"max_user_pages", 65536}});
	CHECK(machine.totals ==
	      std::map<std::string, uint64_t>{{"clock_period", 1001001}, {"images", 4}, {"profiles", 3}});
	CHECK(machine.ticks == std::map<std::string, uint64_t>{{"ticks", 10}, {"counted", 7}, {"kernel", 3}});
	CHECK(machine.paranoid == 2);
	CHECK(machine.ptrace_scope == 1);
	CHECK_FALSE(machine.secure_boot);
	CHECK(machine.lockdown == "none");
	CHECK_FALSE(cli::read_machine(tree.root() + "/nothing", "6.1", "").loaded);
}

TEST_CASE("the text names profilers and their targets, and says that there are others", "[cli][status]")
{
	const Tree tree;

	write_session(tree);
	cli::Status status = status_of(tree);
	const std::string text = cli::status_text(status);

	CAPTURE(text);
	CHECK(has(text, "yes  the module is loaded: "));
	CHECK_FALSE(has(text, "\nno "));
	CHECK(has(text, "clock    ticks every 1.001 ms: 999 Hz\n"));
	CHECK(has(text, "profiles 3 profiles in 4 address spaces\n"));
	CHECK(has(text, "ticks    10  100.00 %  ticks of the clock and of events\n"));
	CHECK(has(text, "profil (pid 77, user " + cli::user_name(getuid()) +
				"): 2 profiles at 999 Hz, 1 in 10 page-faults; 1 off (full)\n"));
	CHECK(has(text, "  105 ticks: 95 counted, 4 lost; 64.0 KiB pinned\n"));
	CHECK(has(text, "and 1 profile of programs that profile themselves\n"));
	status.search.hidden = 1;
	CHECK(has(cli::status_text(status), "or of other users (sudo /usr/bin/profil status shows them)\n"));
	status.search.sessions[0].process = "\033[2Jx";
	CHECK(has(cli::status_text(status), "?[2Jx (pid 77"));
}

TEST_CASE("everything that cannot be done is followed by its commands", "[cli][status]")
{
	const Tree tree;

	write_kernel(tree);
	const cli::Status status = status_of(tree);
	const std::string text = cli::status_text(status);

	CHECK(has(text,
		  "no   the module is not loaded, and there is none for kernel 6.1.0-7 (build it, in the "
		  "directory of profil's sources)\n       make insmod\n"));
	CHECK_FALSE(has(text, "clock"));
	CHECK_FALSE(status.well());
}

TEST_CASE("the cost is the median of the interruptions, if there were as many as ticks", "[cli][status]")
{
	std::vector<uint64_t> gaps(99, 1500);

	gaps[0] = 4000000;
	gaps[1] = 300;
	const cli::Result<cli::TickCost> cost = cli::cost_of_gaps(gaps, 100);

	REQUIRE(cost);
	CHECK(cost->ns == 1500);
	CHECK(cost->interruptions == 99);
	CHECK_FALSE(cli::cost_of_gaps(gaps, 300));
	CHECK_FALSE(cli::cost_of_gaps(gaps, 40));
	CHECK_FALSE(cli::cost_of_gaps({}, 0));
	CHECK_FALSE(cli::cost_of_gaps(std::vector<uint64_t>(19, 1), 19));
}

TEST_CASE("the cost of a tick is measured at the period of a running clock if that is 1 to 2 ms",
	  "[cli][status]")
{
	CHECK(cli::measuring_period(0) == 1'000'000);
	CHECK(cli::measuring_period(1'001'001) == 1'001'001);
	CHECK(cli::measuring_period(999'999) == 1'000'000);
	CHECK(cli::measuring_period(1'999'999) == 1'999'999);
	CHECK(cli::measuring_period(2'000'000) == 1'000'000);
}

TEST_CASE("a spinning loop sees its interruptions", "[cli][status]")
{
	const std::vector<uint64_t> gaps = cli::spin_and_note_gaps(20000000);

	CHECK(std::accumulate(gaps.begin(), gaps.end(), uint64_t{0}) < 10000000000);
	CHECK(std::all_of(gaps.begin(), gaps.end(), [](uint64_t gap) { return gap > 200; }));
}

TEST_CASE("the cost is shown as time and as a share of a CPU", "[cli][status]")
{
	const Tree tree;

	write_session(tree);
	cli::Status status = status_of(tree);

	status.cost = cli::TickCost{1500, 98, 1000};
	CHECK(has(cli::status_text(status),
		  "cost     1.5 us a tick, which at 1,000 Hz is 0.15 % of a CPU\n"));
	status.cost = cli::Error{"too busy"};
	CHECK(has(cli::status_text(status), "cost     cannot be measured now: too busy\n"));
}

TEST_CASE("the cost that a profile adds to a switch is the median of the pairs' differences", "[cli][status]")
{
	std::vector<cli::SwitchPair> pairs;

	/* 101 differences of -50 to 50 ns in mixed order, and one disturbed measurement. */
	for (int i = 0; i < 101; i++)
		pairs.push_back({1900, 1900.0 + (i * 37) % 101 - 50});
	pairs[7].profiled += 1e6;

	const cli::SwitchCost cost = cli::cost_of_pairs(pairs);

	CHECK(cost.plain_ns == 1900);
	CHECK(cost.pairs == 101);
	/* The disturbed difference was 7; all greater ones have moved down by one place. */
	CHECK(cost.ns == 0);
	CHECK(cost.low_ns == -10);
	CHECK(cost.high_ns == 11);

	const cli::SwitchCost few = cli::cost_of_pairs({{10, 15}, {10, 11}});

	CHECK(few.ns == 3);
	CHECK(few.low_ns == 1);
	CHECK(few.high_ns == 5);
}

TEST_CASE("the usage of a process is read from its stat, and from the status of its threads", "[cli][status]")
{
	const Tree tree;
	const std::string status =
		"Name:\ta\nvoluntary_ctxt_switches:\t{}\nnonvoluntary_ctxt_switches:\t{}\n";

	tree.write("/proc/7/stat", "7 (a) b) c) S 1 7 7 0 -1 4194304 100 0 0 0 150 25 0 0 20 0 2 0 5 0\n");
	tree.write("/proc/7/task/7/status", fmt::format(fmt::runtime(status), 10, 3));
	tree.write("/proc/7/task/8/status", fmt::format(fmt::runtime(status), 100, 0));

	const cli::Result<cli::ProcessUsage> before = cli::process_usage(7, tree.root());

	REQUIRE(before);
	CHECK(before->cpu_seconds == 175.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
	CHECK(before->switches == std::map<pid_t, uint64_t>{{7, 13}, {8, 100}});

	/* One thread continues, one has ended, one has begun, and one has the TID of another. */
	const cli::ProcessUsage after = {3.75, {{7, 20}, {8, 90}, {9, 5}}};
	const cli::ProcessLoad load = cli::load_between({1.75, before->switches}, after, 2);

	CHECK(load.cpus == 1);
	CHECK(load.switches == (7 + 90 + 5) / 2.0);
	CHECK(cli::process_usage(8, tree.root()).error().text == "process 8: there is no such process");
	tree.write("/proc/9/stat", "9 (a) S 1");
	CHECK(cli::process_usage(9, tree.root()).error().text == "process 9: cannot parse its stat");
}

TEST_CASE("the cost of a process is its ticks and its switches, each times its cost", "[cli][status]")
{
	const Tree tree;

	write_session(tree);
	cli::Status status = status_of(tree);

	status.cost = cli::TickCost{1500, 98, 1000};
	status.switch_cost = cli::SwitchCost{40, 28, 55, 1930, 56};
	status.target = cli::CostTarget{12, "nginx", 2000, {0.5, 15000}};

	const cli::TargetCost cost = cli::target_cost(**status.target, **status.cost, **status.switch_cost);

	CHECK(cost.ticks == 1000);
	CHECK(cost.tick_seconds == Approx(0.0015));
	CHECK(cost.switch_seconds == Approx(0.0006));
	CHECK(cost.share == Approx(0.0042));
	CHECK(has(cli::status_text(status),
		  "switch   40 ns more with a profile; 1930 ns without one (95 % confidence interval "
		  "of the difference: 28 to 55)\n"
		  "         (the median of 56 pairs: two threads that wake each other by pipes)\n"
		  "target   nginx (pid 12): 0.50 CPUs and 15000 switches in a second\n"
		  "         at 2,000 Hz: 1,000 ticks x 1.5 us + 15,000 switches x 40 ns = 2,100 us a second, "
		  "0.42 % of its CPU time\n"));

	/* A difference that may be chance counts as 0. */
	for (const double ns : {-5, 1}) {
		const cli::SwitchCost chance = {ns, -9, 2, 1930, 9};

		CHECK(cli::target_cost({1, "", 1, {1, 1000}}, {0, 1, 1}, chance).switch_seconds == 0);
		status.switch_cost = chance;
		CHECK(has(cli::status_text(status), "switch   no significant difference with a profile: "
						    "1930 ns without one (95 % confidence interval of "
						    "the difference: -9 to 2)\n"));
	}
	/* An idle process has no cost. */
	CHECK(cli::target_cost({1, "", 1000, {0, 0}}, {1500, 98, 1000}, {40, 28, 55, 1930, 56}).share == 0);
	status.target = cli::Error{"process 12: there is no such process"};
	status.switch_cost = cli::Error{"no pipes"};
	CHECK(has(cli::status_text(status),
		  "switch   cannot be measured: no pipes\ntarget   process 12: there is no such process\n"));
}

TEST_CASE("a target without --cost, and a rate without a target, are wrong usage", "[cli][status]")
{
	for (const char *wrong :
	     {"-p 1", "--cost -F 100", "--cost --no-cost", "--cost -p x", "--cost -p 1 -F 0"}) {
		CAPTURE(wrong);
		CHECK(profil("status " + std::string(wrong)).status == 2);
	}
}

TEST_CASE("status as JSON follows its schema, with the module and without", "[cli][status]")
{
	const Tree bare;
	const Tree loaded;
	const TemporaryDirectory directory;
	const std::string document = directory / "json";

	write_session(loaded);
	loaded.write("/build/kmod/6.1.0-7/kmod/profil.ko", "code");
	cli::Status full = status_of(loaded);

	full.cost = cli::TickCost{1500.5, 98, 999};
	full.switch_cost = cli::SwitchCost{40.5, 28, 55, 1930, 56};
	full.target = cli::CostTarget{12, "nginx", 1000, {1, 0}};
	for (const std::string &json : {cli::status_json(status_of(bare)), cli::status_json(full),
					profil("status --json --no-cost").text}) {
		std::ofstream(document) << json;
		CAPTURE(json);
		CHECK(run("/usr/bin/python3 -W ignore -m jsonschema -i " + document +
			  " Documentation/status.schema.json")
			      .text == "");
	}

	nlohmann::json json = support::parse_json(cli::status_json(full));

	CHECK(json["all_well"] == true);
	CHECK(json["sessions"][0]["profiles"][0]["ticks"] == 100);
	CHECK(json["sessions"][0]["profiles"][1]["pinned_pages"] == nullptr);
	CHECK(json["other_profiles"] == 1);
	CHECK(json["module"]["built"]["signed"] == false);
	CHECK(json["cost"]["tick_ns"] == 1500.5);
	CHECK(json["switch_cost"]["switch_ns"] == 40.5);
	CHECK(json["target"]["seconds_per_second"] == Approx(0.0015005));
	json["colour"] = "red";
	std::ofstream(document) << json;
	CHECK(run("/usr/bin/python3 -W ignore -m jsonschema -i " + document +
		  " Documentation/status.schema.json")
		      .status == 1);
}

TEST_CASE("without the module, the exit status is 1 and every line that says no has a command",
	  "[cli][status]")
{
	if (std::filesystem::exists("/dev/profil"))
		support::skip("this machine has /dev/profil");
	const support::Output output = profil("status");
	std::istringstream lines(output.text);

	CAPTURE(output.text);
	CHECK(output.status == 1);
	for (std::string line, next; std::getline(lines, line);) {
		if (!line.starts_with("no "))
			continue;
		std::getline(lines, next);
		CHECK(next.starts_with("       "));
	}
	CHECK(profil("status --frob").status == 2);
	CHECK(profil("status extra").status == 2);
}
