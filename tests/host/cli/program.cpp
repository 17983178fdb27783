// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/program.cpp  The program itself, without the module: its output and its exit status.
 */
#include "cli/profile/pprof.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"
#include "tests/support/text.h"

#include <filesystem>
#include <fstream>

using support::has;
using support::lines;
using support::run;
using support::TemporaryDirectory;

namespace {

support::Output profil(const std::string &arguments)
{
	return run(support::build_dir() + "/profil " + arguments);
}

std::string sample_file(const TemporaryDirectory &directory)
{
	std::string path = directory / "sample.pb.gz";

	std::ofstream(path, std::ios::binary) << cli::encode_pprof(sample_profile());
	return path;
}

} // namespace

TEST_CASE("help and version are printed on demand", "[cli]")
{
	CHECK(profil("--version").text ==
	      "profil " PROFIL_VERSION "\n"
	      "  with    libcapstone: instructions in annotate, top and report --html\n"
	      "  with    libdebuginfod: debug information from the servers in DEBUGINFOD_URLS\n"
	      "  with    libcurl and libmicrohttpd: serve and push\n");
	CHECK(profil("--version").status == 0);
	CHECK(profil("-V").text == profil("--version").text);
	CHECK(profil("-V").status == 0);
	for (const char *arguments : {"help", "--help", "-h"}) {
		CHECK(profil(arguments).status == 0);
		CHECK(has(profil(arguments).text, "Usage: profil COMMAND"));
	}
	CHECK(profil("help record").text == profil("record --help").text);
	CHECK(profil("help report").text == profil("report -h").text);
	CHECK(has(profil("record --help").text, "Examples:"));
}

TEST_CASE("only push and serve load the libraries for HTTP", "[cli]")
{
	const auto libraries = [](const std::string &name) {
		return run("readelf -d " + support::build_dir() + "/" + name + " | grep NEEDED").text;
	};

	for (const char *library : {"libcurl", "libmicrohttpd"}) {
		CHECK_FALSE(has(libraries("profil"), library));
		CHECK(has(libraries("profil-network"), library));
	}
	CHECK(has(libraries("profil"), "libdw.so"));
	for (const std::string command : {"push", "serve"})
		CHECK(profil(command + " --help").text == profil("help " + command).text);
}

TEST_CASE("push and serve say what is missing where profil is installed alone", "[cli]")
{
	const TemporaryDirectory directory;

	std::filesystem::create_directories(directory / "usr/bin");
	std::filesystem::copy(support::build_dir() + "/profil", directory / "usr/bin");
	for (const std::string command : {"push", "serve"}) {
		const support::Output output = run((directory / "usr/bin/profil") + " " + command +
						   (command == "push" ? " x" : " -p 1"));

		CHECK(output.status == 1);
		CHECK(output.text ==
		      "profil " + command + ": profil-network is neither in " + (directory / "usr/bin") +
			      " nor in " + (directory / "usr/libexec/profil") + " (install profil again)\n");
	}
	std::filesystem::create_directories(directory / "usr/libexec/profil");
	std::ofstream(directory / "usr/libexec/profil/profil-network") << "no program";
	CHECK(run((directory / "usr/bin/profil") + " push x").text ==
	      "profil push: " + (directory / "usr/libexec/profil/profil-network") + ": Permission denied\n");
}

TEST_CASE("wrong usage is one line and status 2", "[cli]")
{
	for (const char *arguments :
	     {"frobnicate", "help frobnicate", "record", "record -p x", "record --frob ls",
	      "report --by colour", "report --sort colour", "report --limit 0", "report --limit 1.5"}) {
		const support::Output output = profil(arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 2);
		CHECK(lines(output.text) == 1);
		CHECK(has(output.text, "see profil"));
	}
	CHECK(profil("").status == 2);
}

TEST_CASE("wrong usage is reported in profil's own words", "[cli]")
{
	const std::pair<const char *, const char *> all[] = {
		{"report --by foo", "--by: 'foo' is not function, object or address"},
		{"report --by 2", "--by: '2' is not function, object or address"},
		{"report --limit 1.5", "--limit: '1.5' is not a whole number above 0"},
		{"report --limit 99999999999999999999", "is not a whole number above 0"},
		{"report --limit", "profil report: --limit needs a value"},
		{"report --by line", "--by: 'line' is not function, object or address"},
		{"report --sort function,x", "--sort: 'x' is not function, inlined, line, object, process"},
		{"report --by object --sort line", "give either --by or --sort, not both"},
		{"report --filter x=y", "--filter: 'x=y' does not begin with function=, object="},
		{"report --percent-limit 101", "--percent-limit: '101' is not a number from 0 to 100"},
		{"report --color red", "--color: 'red' is not auto, always or never"},
		{"report --base - -", "standard input can be read only once"},
		{"report --frob", "profil report: there is no option --frob"},
		{"record -p", "profil record: --pid needs a value"},
		{"record -p 1 -d 1 -d 2", "profil record: --duration may be given only once"},
		{"record -p x", "--pid: 'x' is not a process ID"},
	};

	for (const auto &[arguments, words] : all) {
		const support::Output output = profil(arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 2);
		CHECK(has(output.text, words));
		CHECK_FALSE(has(output.text, "required"));
	}
}

TEST_CASE("record --backend module says how to get the module and leaves no file", "[cli]")
{
	const TemporaryDirectory directory;

	if (std::filesystem::exists("/dev/profil"))
		support::skip("this machine has /dev/profil");
	const std::string command = "touch " + (directory / "ran");

	for (const std::string &arguments : {std::string("-p 1"), "-- " + command, "-a -- " + command,
					     "-a " + command, "-p 1 -- " + command, "-u 0 -- " + command}) {
		const support::Output output =
			profil("record --backend module -o " + (directory / "out") + " " + arguments);

		CHECK(output.status == 1);
		CHECK(lines(output.text) == 1);
		CHECK(has(output.text, "profil record: "));
		CHECK(has(output.text, "the module is not loaded ('profil status' shows how to load it)"));
	}
	CHECK(std::filesystem::is_empty(directory / ""));
}

TEST_CASE("an output file that cannot be written is refused before anything else", "[cli]")
{
	const support::Output output = profil("record -o /no/such/place/file -p 1");

	CHECK(output.status == 1);
	CHECK(output.text == "profil record: /no/such/place/file: No such file or directory (choose another "
			     "file with -o)\n");
}

TEST_CASE("report shows a file as a table and as JSON", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = sample_file(directory);
	const support::Output table = profil("report " + file);
	const support::Output json = profil("report --json --by object --limit 2 " + file);

	CHECK(table.status == 0);
	CHECK(has(table.text, "    700     0.70   70.00   70.00  main "));
	CHECK(json.status == 0);
	CHECK(support::parse_json(json.text)["rows"].size() == 2);
	CHECK(profil("report --by address " + file).status == 0);
}

TEST_CASE("report refuses what it cannot read with one line and status 1", "[cli]")
{
	const TemporaryDirectory directory;

	std::ofstream(directory / "text") << "no profile\n";
	for (const std::string &path : {directory / "missing", directory / "text", directory / ""}) {
		const support::Output output = profil("report " + path);

		CAPTURE(output.text);
		CHECK(output.status == 1);
		CHECK(lines(output.text) == 1);
		CHECK(has(output.text, "profil report: " + path + ": "));
	}
}

TEST_CASE("report - reads standard input", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = sample_file(directory);
	const support::Output output = profil("report --json - <" + file);

	CHECK(output.status == 0);
	CHECK(support::parse_json(output.text)["file"] == "standard input");
	CHECK(has(profil("report - </dev/null").text, "profil report: standard input: "));
	CHECK(profil("report - </dev/null").status == 1);
	CHECK(profil("report - <&-").status == 1);
}

TEST_CASE("advice in parentheses is not followed by a second pair of them", "[cli]")
{
	CHECK(profil("record -e nope -- true").text ==
	      "profil record: event 'nope': there is no such event (profil list shows the available events; "
	      "see profil record --help)\n");
	CHECK(profil("list x").text == "profil list: unexpected argument: x (see profil list --help)\n");
}

TEST_CASE("help and version notice when their output cannot be written", "[cli]")
{
	for (const char *arguments :
	     {"help", "--help", "-h", "--version", "help record", "record --help", "report -h"}) {
		for (const char *where : {" 2>&1 >/dev/full", " 2>&1 >&-"}) {
			const support::Output output = profil(std::string(arguments) + where);

			CAPTURE(arguments, where, output.text);
			CHECK(output.status == 1);
			CHECK(has(output.text, "standard output: "));
			CHECK(lines(output.text) == 1);
		}
	}
}

TEST_CASE("report notices when its output cannot be written", "[cli]")
{
	const TemporaryDirectory directory;
	const support::Output output = profil("report " + sample_file(directory) + " 2>&1 >/dev/full");

	CHECK(output.status == 1);
	CHECK(has(output.text, "No space left on device"));
}

TEST_CASE("the first commands that users of perf try have an answer", "[cli]")
{
	const std::pair<const char *, const char *> all[] = {
		{"record -g -p 1",
		 "profil record: there is no option -g: a profile has functions and what is "
		 "inlined in them, but no call stacks; 'perf record -g' has those"},
		{"record --call-graph=dwarf -p 1", "there is no option --call-graph: a profile has"},
		{"report -e cycles", "there is no option -e: -e belongs to record, top, serve and push"},
		{"record -e nonsense -- true", "event 'nonsense': there is no such event (profil list shows"},
		{"record -e cs -F 100 -- true", "-F and -c are for time; an event's period follows"},
		{"record -e cs:k --user-only -- true", "cs:k counts only in the kernel, which --user-only"},
		{"push -e cs -F 100 -- true", "-F and -c are for time; an event's period follows"},
		{"push -e cs", "options on how to profile need a target: give -p PID"},
		{"top -g -i x", "there is no option -g: a profile has"},
		{"report -g", "there is no option -g: a profile has"},
		{"report --no-children", "there is no option --no-children: a profile has"},
		{"report --sort tid", "--sort: threads have no rows; record with --per-thread"},
		{"diff a b", "profil: there is no command 'diff': 'profil report --base OLD NEW' compares"},
		{"script", "profil: there is no command 'script': 'profil export --format perf-script'"},
		{"stat -- true", "profil: there is no command 'stat': 'profil record -e' samples"},
	};

	for (const auto &[arguments, words] : all) {
		const support::Output output = profil(arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 2);
		CHECK(has(output.text, words));
		CHECK(lines(output.text) == 1);
	}
}

TEST_CASE("the error for a mistyped command or option suggests a similar one", "[cli]")
{
	CHECK(profil("recrod").text ==
	      "profil: there is no command 'recrod'; did you mean 'record'? (see profil help)\n");
	CHECK(profil("xyzzy").text == "profil: there is no command 'xyzzy' (see profil help)\n");
	CHECK(has(profil("report --colour never").text,
		  "there is no option --colour; did you mean '--color'? (see profil report --help)\n"));
	CHECK(has(profil("record --durration=5 -p 1").text, "; did you mean '--duration'?"));
	CHECK(has(profil("report --frobnicate").text, "there is no option --frobnicate (see"));
	CHECK(profil("record -d 10x -p 1").text == "profil record: --duration: '10x' is not a time above 0, "
						   "such as 10, 1.5s, 500ms, 5m or 2h (see "
						   "profil record --help)\n");
}

TEST_CASE("a report is compared with the file that was replaced, if no other is named", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string path = sample_file(directory);

	std::filesystem::copy_file(path, path + ".old");
	CHECK(has(profil("report " + path + " --base").text, "compared with " + path + ".old"));
	CHECK(profil("report " + path + " --base --limit 1").text ==
	      profil("report --base " + path + ".old " + path + " --limit 1").text);
	std::filesystem::remove(path + ".old");
	CHECK(has(profil("report " + path + " --base").text, path + ".old: No such file or directory"));
}
