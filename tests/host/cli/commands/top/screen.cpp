// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/top/screen.cpp  profil top on a real terminal, and without one. */
#include "cli/profile/pprof.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/terminal.h"
#include "tests/support/text.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <vector>

using support::has;
using support::run;
using support::TemporaryDirectory;
using terminal_test::Terminal;

namespace {

/** profil top of the sample profile. */
class Command {
public:
	Command()
	{
		std::ofstream(directory_ / "sample.pb.gz", std::ios::binary)
			<< cli::encode_pprof(sample_profile());
	}

	[[nodiscard]] std::string line(const std::string &options = "") const
	{
		return fmt::format("{}/profil top {} -i {}", support::build_dir(), options,
				   directory_ / "sample.pb.gz");
	}

private:
	TemporaryDirectory directory_;
};

/** Runs top, and saves the terminal's settings before and after; its PID is in the file "pid". */
class Script {
public:
	explicit Script(const Command &command)
	{
		std::ofstream(directory_ / "script")
			<< "stty -g | cut -c1-60\nsh -c 'echo $$ >" << (directory_ / "pid") << "; exec "
			<< command.line() << "'\necho status $?\nstty -g | cut -c1-60\n";
	}

	[[nodiscard]] std::string line() const { return "sh " + (directory_ / "script"); }
	void kill(const std::string &signals) const
	{
		std::istringstream all(signals);

		for (std::string signal; all >> signal;)
			REQUIRE(run("kill -" + signal + " $(cat " + (directory_ / "pid") + ")").status == 0);
	}
	/** True if the settings are the same as before, and the table is gone. */
	static bool left_as_it_was(const Terminal &terminal)
	{
		std::istringstream screen(terminal.screen());
		std::vector<std::string> settings;

		for (std::string line; std::getline(screen, line);) {
			if (line.find(':') < 5 && line.find(' ') == line.npos)
				settings.push_back(line);
		}
		return settings.size() == 2 && settings[0] == settings[1] && !has(terminal.screen(), "70.00");
	}

private:
	TemporaryDirectory directory_;
};

} // namespace

TEST_CASE("top draws its table on a terminal, and leaves the terminal as it was", "[cli][top][screen]")
{
	const Command command;
	const Script script(command);
	Terminal terminal;

	terminal.run(script.line());
	REQUIRE(terminal.shows("profil top: 1,000 samples"));

	const std::string screen = terminal.screen();

	CHECK(has(screen, "    700   70.00  main"));
	CHECK(has(screen, "1,050  100.00 %  ticks of the clock\n"));
	CHECK(has(screen, "q quit  h help  s sort"));
	CHECK_FALSE(has(screen, "ready:"));
	terminal.press("q");
	REQUIRE(terminal.shows("status 0"));

	CHECK(terminal.soon([&](const std::string &) { return Script::left_as_it_was(terminal); }));
}

TEST_CASE("top's keys work as a terminal sends them", "[cli][top][screen]")
{
	const Command command;
	Terminal terminal;

	terminal.run(command.line());
	REQUIRE(terminal.shows("70.00"));
	terminal.press("Down");
	terminal.press("Enter");
	CHECK(terminal.shows("profil top: memcpy"));
	CHECK(terminal.shows("200 samples, 20.00 %"));
	terminal.press("Escape");
	CHECK(terminal.shows("ticks of the clock"));
	terminal.press("F1");
	CHECK(terminal.shows("profil top: keys"));
	terminal.press("q");
	CHECK(terminal.shows("ticks of the clock"));
	terminal.press("/");
	terminal.type("mxin");
	terminal.press("BSpace");
	terminal.press("BSpace");
	terminal.press("BSpace");
	terminal.type("ain");
	terminal.press("Enter");
	CHECK(terminal.shows("300 samples (30.00 %) left out by the filter"));
	CHECK(terminal.shows_no("memcpy"));
}

TEST_CASE("top follows the size of its terminal", "[cli][top][screen]")
{
	const Command command;
	Terminal terminal;

	terminal.run(command.line());
	REQUIRE(terminal.shows("program\n"));
	terminal.resize(20, 10);
	CHECK(terminal.shows("\n 70.00  main\n"));
	CHECK(terminal.shows("1,050 ticks: 95.24 …"));
	terminal.resize(120, 30);
	CHECK(terminal.shows("    700   70.00  main"));
	CHECK(terminal.shows("Enter annotate"));
}

TEST_CASE("however top ends, the terminal is as it was", "[cli][top][screen]")
{
	const Command command;
	const Script script(command);
	Terminal terminal;
	const std::string end = GENERATE("INT", "TERM", "HUP");

	CAPTURE(end);
	terminal.run(script.line());
	REQUIRE(terminal.shows("70.00"));
	script.kill(end);
	REQUIRE(terminal.shows("status 0"));
	CHECK(terminal.soon([&](const std::string &) { return Script::left_as_it_was(terminal); }));
}

TEST_CASE("a second signal aborts top, and the terminal is as it was", "[cli][top][screen]")
{
	const Command command;
	const Script script(command);
	Terminal terminal;

	terminal.run(script.line());
	REQUIRE(terminal.shows("70.00"));
	/* Both signals are pending when top continues, so both arrive before it does anything. */
	script.kill("STOP TERM INT CONT");
	REQUIRE(terminal.shows("status 1"));
	CHECK_FALSE(has(terminal.screen(), "status 1\n"));
	CHECK(terminal.soon([&](const std::string &) { return Script::left_as_it_was(terminal); }));
}

TEST_CASE("Ctrl-C ends top, with status 0", "[cli][top][screen]")
{
	const Command command;
	Terminal terminal;

	terminal.run(command.line() + "; echo status $?");
	REQUIRE(terminal.shows("70.00"));
	terminal.press("C-c");
	CHECK(terminal.shows("status 0"));
}

TEST_CASE("top has colours, unless NO_COLOR is set", "[cli][top][screen]")
{
	const Command command;
	const std::string red = "\x1b[31m";

	for (const bool wanted : {true, false}) {
		Terminal terminal;

		terminal.run((wanted ? "" : "NO_COLOR=1 ") + command.line());
		REQUIRE(terminal.shows("70.00"));
		CHECK(has(terminal.screen(true), red) == wanted);
	}
}

TEST_CASE("a terminal that cannot be drawn on is an error that names --batch", "[cli][top][screen]")
{
	const Command command;
	const std::pair<const char *, const char *> all[] = {
		{"TERM=dumb ", "TERM is 'dumb': such a terminal cannot be drawn on (use --batch)"},
		{"env -u TERM ", "TERM is not set, so the terminal type is unknown (set it, or use --batch)"},
		{"TERM=frob ", "TERM is 'frob', which terminfo does not know"},
	};

	for (const auto &[variable, words] : all) {
		Terminal terminal(160, 24);

		terminal.run(variable + command.line() + "; echo status $?");
		CHECK(terminal.shows("status 1"));
		CHECK(terminal.shows(words));
	}
}

TEST_CASE("top without a terminal is an error that names --batch", "[cli][top]")
{
	const Command command;

	CHECK(run(command.line() + " </dev/null").text ==
	      "profil top: standard input is not a terminal (use --batch)\n");
	CHECK(run(command.line() + " </dev/null").status == 1);
}

TEST_CASE("--batch prints frames as text", "[cli][top]")
{
	const Command command;
	const support::Output output = run(command.line("--batch --limit 1 --sort object"));

	CHECK(output.status == 0);
	CHECK(has(output.text, "    700   70.00  /opt/bin/program\n"
			       "... and 2 more rows, of 300 samples (30.00 %)\n"));
	CHECK_FALSE(has(output.text, "\x1b"));
	CHECK(run(command.line("--batch") + " | head -n 1").text ==
	      "profil top: 1,000 samples in 1.50 s at 999 Hz\n");
	CHECK(run(command.line("--batch") + " >/dev/full").text ==
	      "profil top: standard output: No space left on device\n");
	CHECK(has(run(command.line("--batch --color always")).text, "\x1b[31m"));
}

TEST_CASE("wrong usage of top is reported in profil's own words", "[cli][top]")
{
	const std::pair<const char *, const char *> all[] = {
		{"", "nothing to profile: give -p PID, -t TID, --name REGEX, -u USER, --cgroup PATH or -a"},
		{"-p 1 -i x", "give either --input or what to profile, not both"},
		{"-i x -F 99", "give either --input or what to profile, not both"},
		{"-i x y", "unexpected argument: y"},
		{"-p 1 -d 0", "--delay: '0' is not a time above 0, such as 10, 1.5s, 500ms, 5m or 2h"},
		{"-p 1 -n 0", "--iterations: '0' is not a whole number above 0"},
		{"-p 1 --sort x", "--sort: 'x' is not function"},
		{"-p 1 --filter x", "--filter: 'x' does not begin with"},
		{"ls", "cannot run a command"},
		{"-p 1 -F 9 -c 9", "give either -F or -c, not both"},
	};

	for (const auto &[arguments, words] : all) {
		const support::Output output = run(support::build_dir() + "/profil top " + arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 2);
		CHECK(has(output.text, words));
	}
	CHECK(has(run(support::build_dir() + "/profil top --batch -i /no/such").text,
		  "profil top: /no/such: No such file or directory"));
}
