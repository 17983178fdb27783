// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/options/arguments.cpp  How profil record parses its arguments. */
#include "cli/base/exit.h"
#include "cli/commands/record/options.h"
#include "cli/options/subcommands.h"
#include "cli/recording/recording_run.h"
#include "tests/support/catch.h"

using namespace cli;
using Words = std::vector<std::string>;

namespace {

RecordOptions parsed(const Words &arguments)
{
	RecordOptions options;
	const std::optional<int> status = parse_record_options(arguments, options);

	INFO("status " << status.value_or(-1));
	REQUIRE_FALSE(status.has_value());
	return options;
}

/** The exit status for invalid arguments; -1 if they are valid. */
int refused(const Words &arguments)
{
	RecordOptions options;

	return parse_record_options(arguments, options).value_or(-1);
}

TargetOptions at(double rate)
{
	TargetOptions options;

	options.rate = rate;
	return options;
}

profil_info with_period_min(uint64_t period)
{
	profil_info info = {};

	info.period_min = period;
	return info;
}

} // namespace

TEST_CASE("record has defaults for everything but what to profile", "[cli]")
{
	const RecordOptions options = parsed({"-p", "42"});

	CHECK(options.target.selection.pids == std::vector<pid_t>{42});
	CHECK(options.target.command.empty());
	CHECK_FALSE(options.seconds.has_value());
	CHECK(options.target.rate == 999);
	CHECK(options.output == "profil.pb.gz");
	CHECK(options.target.kernel == KernelTime::ByFunction);
}

TEST_CASE("record takes several processes, each once", "[cli]")
{
	CHECK(parsed({"-p", "1,2,3"}).target.selection.pids == std::vector<pid_t>{1, 2, 3});
	CHECK(parsed({"-p", "1", "--pid", "2", "-p2,1"}).target.selection.pids == std::vector<pid_t>{1, 2});
	CHECK(parsed({"--pid=7"}).target.selection.pids == std::vector<pid_t>{7});
}

TEST_CASE("record takes every option in its long and short form", "[cli]")
{
	for (const Words &arguments :
	     {Words{"-p", "1", "-d", "2.5", "-F", "100", "-o", "x.pb.gz", "--kernel"},
	      Words{"--pid", "1", "--duration", "2.5", "--freq", "100", "--output", "x.pb.gz", "--kernel"}}) {
		const RecordOptions options = parsed(arguments);

		CHECK(options.seconds == 2.5);
		CHECK(options.target.rate == 100);
		CHECK(options.output == "x.pb.gz");
		CHECK(options.target.kernel == KernelTime::AtCall);
	}
}

TEST_CASE("record searches by name, user and cgroup, for any number of each", "[cli]")
{
	const Selection selection = parsed({"--name", "^nginx", "--name=sshd", "-u", "root,65534", "--uid",
					    "7", "--cgroup", "system.slice"})
					    .target.selection;

	CHECK(selection.names == Words{"^nginx", "sshd"});
	CHECK(selection.users == std::vector<uid_t>{0, 65534, 7});
	CHECK(selection.cgroups == Words{"system.slice"});
	CHECK(selection.searches());
	CHECK_FALSE(selection.everything);
	CHECK(parsed({"-a"}).target.selection.everything);
	CHECK(parsed({"--all-cpus"}).target.selection.searches());
	CHECK_FALSE(parsed({"-p", "1"}).target.selection.searches());
}

TEST_CASE("record takes a period in nanoseconds, and sizes with their unit", "[cli]")
{
	CHECK(parsed({"-c", "250000", "-a"}).target.count == 250000);
	CHECK_FALSE(parsed({"-a"}).target.count.has_value());
	CHECK(parsed({"--max-memory", "64M", "-a"}).target.memory == 64U << 20);
	CHECK(parsed({"--max-memory", "4096", "-a"}).target.memory == 4096);
	CHECK_FALSE(parsed({"--no-follow", "-a"}).target.follow);
	CHECK_FALSE(parsed({"--no-inherit", "-a"}).target.follow);
	CHECK(parsed({"-a"}).target.follow);
}

TEST_CASE("record takes times with their unit, and the delay in milliseconds", "[cli]")
{
	const RecordOptions options = parsed(
		{"-p", "1", "-d", "5m", "-D", "1500", "--loop", "1h", "-o", "%h-%p-%t.pb.gz", "--snapshot"});

	CHECK(options.seconds == 300);
	CHECK(options.delay == 1.5);
	CHECK(options.loop == 3600);
	CHECK(options.snapshot);
	CHECK(parsed({"-p", "1", "-d", "250ms"}).seconds == 0.25);
	CHECK(parsed({"-p", "1", "-d", "10s"}).seconds == 10);
	CHECK_FALSE(parsed({"-p", "1"}).delay.has_value());
	CHECK_FALSE(parsed({"-p", "1"}).loop.has_value());
}

TEST_CASE("everything after -- is the command, whatever it looks like", "[cli]")
{
	CHECK(parsed({"--", "ls", "-l", "-p", "1"}).target.command == Words{"ls", "-l", "-p", "1"});
	CHECK(parsed({"-d", "1", "--", "-odd-name"}).target.command == Words{"-odd-name"});
	CHECK(parsed({"--", "sh", "-c", "--", "x"}).target.command == Words{"sh", "-c", "--", "x"});
	CHECK(parsed({"--", ""}).target.command == Words{""});
	CHECK(parsed({"--", "--", "x"}).target.command == Words{"--", "x"});
}

TEST_CASE("a -- after the command's first word belongs to the command", "[cli]")
{
	CHECK(parsed({"echo", "a", "--", "b"}).target.command == Words{"echo", "a", "--", "b"});
	CHECK(parsed({"-d", "1", "grep", "--", "-x", "--"}).target.command ==
	      Words{"grep", "--", "-x", "--"});
	CHECK(parsed({"ls", "--"}).target.command == Words{"ls", "--"});
	CHECK(refused({"--frobnicate", "ls", "--", "x"}) == exit_usage);
}

TEST_CASE("a command needs no -- before it", "[cli]")
{
	const RecordOptions options = parsed({"-d", "1", "ls", "-l", "-d", "9"});

	CHECK(options.target.command == Words{"ls", "-l", "-d", "9"});
	CHECK(options.seconds == 1);
}

TEST_CASE("record takes a command beside all processes, or others", "[cli]")
{
	const RecordOptions options = parsed({"-a", "--", "ls", "-a"});

	CHECK(options.target.selection.only_everything());
	CHECK(options.target.command == Words{"ls", "-a"});
	for (const Words &arguments : {Words{"-a", "ls"}, Words{"-p", "1", "ls"},
				       Words{"-t", "1", "--", "ls"}, Words{"--name", "x", "--", "ls"}}) {
		CAPTURE(arguments);
		CHECK(parsed(arguments).target.command == Words{"ls"});
		CHECK_FALSE(parsed(arguments).target.selection.empty());
	}
	CHECK(refused({"-a", "--"}) == exit_usage);
}

TEST_CASE("wrong usage of record exits with 2", "[cli]")
{
	const Words wrong[] = {{},
			       {"--"},
			       {"-p"},
			       {"-p", "x"},
			       {"-p", "0"},
			       {"-p", "-1"},
			       {"-p", "1x"},
			       {"-p", "99999999999"},
			       {"-p", "1", "--"},
			       {"--frobnicate", "--", "ls"},
			       {"-d", "0", "ls"},
			       {"-d", "-1", "ls"},
			       {"-d", "nan", "ls"},
			       {"-d", "10x", "ls"},
			       {"--loop", "60", "-p", "1"},
			       {"--loop", "999ms", "-o", "%t", "-p", "1"},
			       {"--loop", "60", "-o", "-", "-p", "1"},
			       {"--snapshot", "-o", "-", "-p", "1"},
			       {"-o", "100%", "-p", "1"},
			       {"-o", "%x", "-p", "1"},
			       {"-D", "0", "ls"},
			       {"-c", "0", "ls"},
			       {"-c", "1.5", "ls"},
			       {"-c", "1000000", "-F", "100", "ls"},
			       {"--max-memory", "0", "ls"},
			       {"--max-memory", "much", "ls"},
			       {"-a", "-p", "1"},
			       {"-u", "nobody-has-this-name", "-d", "1"},
			       {"-F", "0", "ls"},
			       {"-F", "inf", "ls"},
			       {"-F", "fast", "ls"}};

	for (const Words &arguments : wrong) {
		CAPTURE(arguments);
		CHECK(refused(arguments) == exit_usage);
	}
}

TEST_CASE("--help of record is not an error, and names every option", "[cli]")
{
	CHECK(refused({"--help"}) == exit_ok);
	CHECK(refused({"-p", "1", "-h"}) == exit_ok);
	for (const char *option : {"-p, --pid", "-d, --duration", "-F, --freq", "-o, --output", "--kernel",
				   "--name", "-u, --uid", "--cgroup", "-a, --all-cpus", "--no-follow",
				   "-c, --count", "--max-memory", "-D, --delay", "--loop", "--snapshot"})
		CHECK(record_help().find(option) != std::string::npos);
}

TEST_CASE("help fits a terminal of 80 columns", "[cli]")
{
	for (const std::string &help :
	     {record_help(), report_help(), annotate_help(), export_help(), serve_help(), push_help()}) {
		for (size_t start = 0, end = 0; (end = help.find('\n', start)) != help.npos; start = end + 1)
			CHECK(end - start <= 80);
	}
}

TEST_CASE("a duration of any length is waited for in parts", "[cli]")
{
	CHECK(poll_timeout(-1) == 0);
	CHECK(poll_timeout(0.0001) == 1);
	CHECK(poll_timeout(1.5) == 1500);
	CHECK(poll_timeout(1e300) == 3600000);
	CHECK(parsed({"-d", "1e300", "-p", "1"}).seconds == 1e300);
}

TEST_CASE("a rate becomes a period in whole nanoseconds", "[cli]")
{
	CHECK(*choose_period(at(1000), with_period_min(100000)) == 1000000);
	CHECK(*choose_period(at(999), with_period_min(100000)) == 1001001);
	CHECK(*choose_period(at(0.5), with_period_min(100000)) == 2000000000);
	/* 1024 Hz is not a whole number of ns, but is permitted where it is the limit. */
	CHECK(choose_period(at(1024), with_period_min(976562)));

	TargetOptions counted;

	counted.count = 123457;
	CHECK(*choose_period(counted, with_period_min(100000)) == 123457);
	CHECK(choose_period(counted, with_period_min(200000)).error().text.find("8,100 Hz is above") == 0);
}

TEST_CASE("a rate above the limit is refused with the limit's name", "[cli]")
{
	const Result<uint64_t> period = choose_period(at(5000), with_period_min(976562));

	REQUIRE_FALSE(period);
	CHECK(period.error().text.find("5,000 Hz is above the limit of 1,024 Hz") == 0);
	CHECK(period.error().text.find("CAP_PERFMON") != std::string::npos);
	CHECK_FALSE(choose_period(at(1e12), with_period_min(20000)));
	CHECK_FALSE(choose_period(at(1e-9), with_period_min(20000)));
	CHECK(choose_period(at(1e300), with_period_min(20000)).error().text.find("1e+300 Hz is above") == 0);
}

TEST_CASE("a time has a unit or is in seconds", "[cli]")
{
	for (const auto &[text, seconds] : std::initializer_list<std::pair<const char *, double>>{
		     {"10", 10}, {"1.5s", 1.5}, {"500ms", 0.5}, {"5m", 300}, {"2h", 7200}, {".5", 0.5}})
		CHECK(parsed({"-p", "1", "-d", text}).seconds == seconds);
	for (const char *text : {"10x", "0", "-1", "s", "", "1 s", "1e400", "inf", "nan", "5M", "1.5.5"}) {
		CAPTURE(text);
		CHECK(refused({"-p", "1", std::string("--duration=") + text}) == exit_usage);
	}
}

TEST_CASE("-F max is the shortest period that the module allows", "[cli]")
{
	const TargetOptions fastest = parsed({"-p", "1", "-F", "max"}).target;

	CHECK(*choose_period(fastest, with_period_min(12'345)) == 12'345);
	CHECK(refused({"-p", "1", "-F", "Max"}) == exit_usage);
	CHECK(refused({"-p", "1", "-F", "inf"}) == exit_usage);
}
