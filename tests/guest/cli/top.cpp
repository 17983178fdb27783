// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/top.cpp  profil top of running programs, as text frames and on a terminal. */
#include "tests/guest/cli/support.h"
#include "tests/support/terminal.h"

#include <regex>
#include <sstream>

using namespace cli_test;
using terminal_test::Terminal;

namespace {

/** The number at the start of each line that matches a pattern, without commas. */
std::vector<uint64_t> numbers_before(const std::string &text, const std::string &pattern)
{
	std::vector<uint64_t> numbers;
	std::istringstream lines(text);

	for (std::string line; std::getline(lines, line);) {
		if (!std::regex_search(line, std::regex(pattern)))
			continue;
		std::erase(line, ',');
		numbers.push_back(std::stoull(line));
	}
	return numbers;
}

size_t count(const std::string &text, const std::string &part)
{
	size_t found = 0;

	for (size_t at = 0; (at = text.find(part, at)) != text.npos; at++)
		found++;
	return found;
}

} // namespace

TEST_CASE("top --batch prints frames in which the samples grow", "[cli][top]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const Output output = profil("top --batch -n 3 -F 499 -p " + std::to_string(burn.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	CHECK(count(output.text, "profil top: ") == 3);
	CHECK(count(output.text, "cli_burn (pid " + std::to_string(burn.pid()) + ")") == 3);

	const std::vector<uint64_t> hot = numbers_before(output.text, "burn_hot ");

	REQUIRE(hot.size() == 3);
	CHECK(hot[0] < hot[1]);
	CHECK(hot[1] < hot[2]);
	CHECK(has(output.text, "+" + std::to_string(hot[2] - hot[1]) + " "));
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("each frame of top accounts for every tick and every sample", "[cli][top]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const Output output = profil("top --batch -n 3 --limit 1000 -p " + std::to_string(burn.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	for (size_t at = 0, next = 0; at < output.text.size(); at = next) {
		next = std::min(output.text.find("profil top: ", at + 1), output.text.size());

		const std::string frame = output.text.substr(at, next - at);
		uint64_t rows = 0;
		uint64_t causes = 0;

		for (const uint64_t samples : numbers_before(frame, "^ *[0-9,]+ +[0-9]+\\.[0-9]{2} +[^%]"))
			rows += samples;
		for (const uint64_t ticks :
		     numbers_before(frame, "^ *[0-9,]+ +[0-9.]+ %  (counted|lost|in|at|while)"))
			causes += ticks;
		REQUIRE(numbers_before(frame, "ticks of the clock").size() == 1);
		CHECK(causes == numbers_before(frame, "ticks of the clock")[0]);
		REQUIRE(numbers_before(frame, "%  counted").size() == 1);
		CHECK(rows == numbers_before(frame, "%  counted")[0]);
	}
}

TEST_CASE("top --batch ends with its targets and its last frame has all samples", "[cli][top]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "frames";
	/* The process may still have ticks in the kernel for a while after its end was reported. */
	const uint64_t before = guest::module_ticks("counted");
	guest::Child burn = start({program("cli_burn"), "1000000"});
	guest::Child top = start({profil_path(), "top", "--user-only", "--batch", "-d", "1h", "-p",
				  std::to_string(burn.pid())},
				 file);

	REQUIRE(soon([&] { return guest::module_ticks("counted") >= before + 100; }));
	kill(burn.pid(), SIGKILL);
	burn.reap();
	const int status = end_of(top);
	const std::string text = read_file(file);

	INFO(text);
	REQUIRE(status == 0);
	CHECK(count(text, "profil top: ") == 1);
	REQUIRE(numbers_before(text, "%  counted").size() == 1);
	CHECK(numbers_before(text, "%  counted")[0] == guest::module_ticks("counted") - before);
}

TEST_CASE("top --per-process has a row for each process", "[cli][top]")
{
	const guest::Child one = start({program("cli_burn"), "1000000"});
	const guest::Child other = start({program("cli_burn"), "1000000"});
	const Output output = profil("top --batch -n 2 -d 2 --per-process -p " + std::to_string(one.pid()) +
				     "," + std::to_string(other.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	for (const pid_t pid : {one.pid(), other.pid()})
		CHECK(std::regex_search(
			output.text, std::regex("cli_burn \\(pid " + std::to_string(pid) + "\\) +burn_hot")));
}

TEST_CASE("top names the processes it could not attach to and the reason", "[cli][top]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const Output some = profil("top --batch -n 1 -p 2," + std::to_string(burn.pid()));
	const Output none = profil("top --batch -n 1 -p 2");

	INFO(some.text << none.text);
	CHECK(some.status == 0);
	CHECK(has(some.text, "1 process was not attached: "));
	CHECK(has(some.text, "kthreadd (pid 2)"));
	CHECK(none.status == 1);
	CHECK(has(none.text, "profil top: nothing was recorded"));
}

TEST_CASE("top on a terminal shows the hot function and its instructions and can be paused", "[cli][top]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	Terminal terminal(100, 30);

	terminal.run(profil_path() + " top -p " + std::to_string(burn.pid()) + "; echo status $?");
	REQUIRE(terminal.shows("burn_hot "));
	CHECK(has(terminal.screen(), "ticks of the clock"));
	CHECK(has(terminal.screen(), "q quit  h help"));

	terminal.press("Enter");
	CHECK(terminal.shows("profil top: burn_hot()"));
	CHECK(terminal.shows("of the profile's"));
	terminal.press("q");
	CHECK(terminal.shows("ticks of the clock"));

	terminal.press("Space");
	REQUIRE(terminal.shows("paused"));
	const std::string frozen = terminal.screen();

	REQUIRE(samples_come(200));
	CHECK(terminal.screen() == frozen);
	terminal.press("p");
	CHECK(terminal.shows_no("paused"));

	terminal.press("q");
	CHECK(terminal.shows("status 0"));
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("top on a terminal keeps running after its processes have ended", "[cli][top]")
{
	guest::Child burn = start({program("cli_burn"), "1000000"});
	Terminal terminal;

	terminal.run(profil_path() + " top -p " + std::to_string(burn.pid()));
	REQUIRE(terminal.shows("burn_hot "));
	kill(burn.pid(), SIGKILL);
	burn.reap();
	REQUIRE(terminal.shows("the profiled processes have ended"));
	CHECK(has(terminal.screen(), "burn_hot "));
}
