// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/top/running.cpp  profil top of running programs, as text frames and on a
 * terminal. */
#include "tests/host/cli/recorded.h"
#include "tests/support/frames.h"
#include "tests/support/terminal.h"

#include <regex>
#include <sstream>

using namespace support;
using terminal_test::Terminal;

TEST_CASE("top --batch prints frames in which the samples grow", "[perf][recorded][top]")
{
	need_perf();

	const Child burn = burner();
	const Output output =
		profil("top --backend perf --batch -n 3 -F 499 -p " + std::to_string(burn.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	CHECK(count(output.text, "profil top: ") == 3);
	CHECK(count(output.text, "cli_burn (pid " + std::to_string(burn.pid()) + ")") == 3);

	const std::vector<uint64_t> hot = numbers_before(output.text, "burn_hot ");

	REQUIRE(hot.size() == 3);
	CHECK(hot[0] < hot[1]);
	CHECK(hot[1] < hot[2]);
	CHECK(has(output.text, "+" + std::to_string(hot[2] - hot[1]) + " "));
}

TEST_CASE("top --per-process has a row for each process", "[perf][recorded][top]")
{
	need_perf();

	const Child one = start({program("cli_burn"), "1000000"});
	const Child other = start({program("cli_burn"), "1000000"});
	const Output output = profil("top --backend perf --batch -n 2 -d 2 --per-process -p " +
				     std::to_string(one.pid()) + "," + std::to_string(other.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	for (const pid_t pid : {one.pid(), other.pid()})
		CHECK(std::regex_search(
			output.text, std::regex("cli_burn \\(pid " + std::to_string(pid) + "\\) +burn_hot")));
}

TEST_CASE("top names the processes it could not attach to and the reason", "[perf][recorded][top]")
{
	need_perf();

	const Child burn = burner();
	const Output some = profil("top --backend perf --batch -n 1 -p 2," + std::to_string(burn.pid()));
	const Output none = profil("top --backend perf --batch -n 1 -p 2");

	INFO(some.text << none.text);
	CHECK(some.status == 0);
	CHECK(has(some.text, "1 process was not attached: "));
	CHECK(has(some.text, "kthreadd (pid 2)"));
	CHECK(none.status == 1);
	CHECK(has(none.text, "profil top: nothing was recorded"));
}

TEST_CASE("top on a terminal shows the hot function and its instructions and can be paused",
	  "[perf][recorded][top]")
{
	need_perf();

	const Child burn = burner();
	Terminal terminal(100, 30);

	terminal.run(profil_path() + " top --backend perf -p " + std::to_string(burn.pid()) +
		     "; echo status $?");
	REQUIRE(terminal.shows("burn_hot "));
	CHECK(has(terminal.screen(), "ticks that perf has reported"));
	CHECK(has(terminal.screen(), "q quit  h help"));

	terminal.press("Enter");
	CHECK(terminal.shows("profil top: burn_hot()"));
	CHECK(terminal.shows("of the profile's"));
	terminal.press("q");
	CHECK(terminal.shows("ticks that perf has reported"));

	terminal.press("Space");
	REQUIRE(terminal.shows("paused"));
	const std::string frozen = terminal.screen();

	REQUIRE(process_runs_for(burn.pid(), 200'000'000));
	CHECK(terminal.screen() == frozen);
	terminal.press("p");
	CHECK(terminal.shows_no("paused"));

	terminal.press("q");
	CHECK(terminal.shows("status 0"));
}

TEST_CASE("top on a terminal keeps running after its processes have ended", "[perf][recorded][top]")
{
	need_perf();

	Child burn = burner();
	Terminal terminal;

	terminal.run(profil_path() + " top --backend perf -p " + std::to_string(burn.pid()));
	REQUIRE(terminal.shows("burn_hot "));
	kill(burn.pid(), SIGKILL);
	burn.reap();
	REQUIRE(terminal.shows("the profiled processes have ended"));
	CHECK(has(terminal.screen(), "burn_hot "));
}

TEST_CASE("a key of top sorts by the next event", "[perf][recorded][top]")
{
	need_perf();

	HeldProgram held("cli_events");
	Terminal terminal(120, 30);

	terminal.run(profil_path() + " top --backend perf -e cs,page-faults -p " +
		     std::to_string(held.pid()) + "; echo status $?");
	REQUIRE(terminal.shows("e event  Enter annotate"));
	held.go();
	CHECK(held.end() == 0);
	REQUIRE(terminal.shows("the profiled processes have ended"));
	terminal.press("e");
	CHECK(terminal.shows("sorted by page-faults"));
	CHECK(terminal.shows("the profiled processes have ended; by page-faults"));
	CHECK(terminal.shows("     10,000   "));
	terminal.press("Enter");
	CHECK(terminal.shows("profil top: fill_pages"));
	terminal.press("q");
	terminal.press("q");
	CHECK(terminal.shows("status 0"));
}

TEST_CASE("top refuses what the machine cannot sample, before it attaches", "[perf][recorded][top]")
{
	need_perf();

	const Child burn = burner();
	const Output output = profil("top --backend perf --batch -n 1 -e page-faults,mem:0x1:rwx -p " +
				     std::to_string(burn.pid()));

	INFO(output.text);
	CHECK(output.status == 1);
	CHECK(has(output.text, "profil top: event 'mem:0x1:rwx': "));
}
