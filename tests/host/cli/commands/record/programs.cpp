// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/programs.cpp  profil record of real programs, compared
 * with other tools. */
#include "tests/host/cli/recorded.h"

#include <algorithm>
#include <linux/perf_event.h>
#include <map>

using namespace support;

TEST_CASE("what perf script prints is a profile of the functions that perf names", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string data = directory / "perf.data", file = directory / "p.pb.gz";
	const Output recorded = run("perf record -q -e cpu-clock:u -F 999 -g -o " + data + " -- " +
				    program("cli_burn") + " 500");

	INFO(recorded.text);
	REQUIRE(recorded.status == 0);
	REQUIRE(profil("record --backend perf -o " + file + " -- " + program("cli_burn") + " 500").status ==
		0);
	for (const std::string stacks : {"", "--hide-call-graph "}) {
		const std::string text = directory / "perf.txt";
		const Output printed = run("perf script --no-inline " + stacks + "-i " + data + " >" + text);
		const Output samples = run("grep -c 'cpu-clock:u' " + text);
		const Output output = profil("report --json --sort command,function " + text);

		CAPTURE(stacks, printed.text, output.text);
		REQUIRE(printed.status == 0);
		REQUIRE(output.status == 0);
		const Json json = parse_json(output.text);

		CHECK(json["samples"] == std::stoul(samples.text));
		CHECK(json["rows"][0]["process"] == "cli_burn");
		/* Older versions of perf leave out the parameters of C++. */
		const std::string function = json["rows"][0]["function"];
		CAPTURE(function);
		CHECK((function == "burn_hot" || function == "burn_hot()"));
		CHECK(json["rows"][0]["percent"] > 50);
		/* perf's profile can be compared with profil's own like any other. */
		const Output compared = profil("report --base " + text + " " + file);
		CAPTURE(compared.text);
		CHECK(compared.status == 0);
		CHECK(has(compared.text, "burn_hot"));
	}
}

TEST_CASE("the interpreter's loop is among the hottest functions of a Python program", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record --backend perf -o " + file +
				     " -- python3 -c 'sum(i * i for i in range(7000000))'");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);

	REQUIRE(json["rows"].size() >= 5);
	/* Functions that manage memory may run in step with the clock, and so have more samples. */
	CHECK(std::any_of(json["rows"].begin(), json["rows"].begin() + 5, [](const Json &row) {
		return row["function"] == "_PyEval_EvalFrameDefault" && has(row["object"], "python3");
	}));
}

TEST_CASE("protoc can read a real profile with build-ids and lines", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	REQUIRE(profil("record --backend perf -o " + file + " -- " + program("cli_burn") + " 300").status ==
		0);
	const Output output =
		run("gzip -dc " + file +
		    " | protoc --decode=perftools.profiles.Profile tests/host/data/profile.proto");
	const std::string build_id =
		run("readelf -n " + program("cli_burn") + " | sed -n 's/.*Build ID: //p' | tr -d '\\n'").text;

	CHECK(output.status == 0);
	REQUIRE(build_id.size() == 40);
	CHECK(has(output.text, "string_table: \"" + build_id + "\"\n"));
	CHECK(has(output.text, "has_line_numbers: true"));
	CHECK(has(output.text, "cli_burn.cpp\"\n"));
}

TEST_CASE("without a debuginfod server, no recording loads its client and all that this needs",
	  "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = run("LD_DEBUG=files " + profil_path() + " record --backend perf -o " + file +
				  " -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'");

	REQUIRE(output.status == 0);
	CHECK(report(file)["samples"] > 0);
	CHECK(has(output.text, "libdw.so"));
	CHECK_FALSE(has(output.text, "libdebuginfod"));
}

TEST_CASE("with a process and a command, the process alone is recorded, while the command runs",
	  "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Child before = start({program("cli_burn"), "1000000"});
	const std::string record =
		"record --backend perf --user-only -o " + file + " -p " + std::to_string(before.pid());
	const Output output = profil(record + " -- " + program("cli_burn_static") + " 500");

	INFO(output.text);
	CHECK(output.status == 0);

	std::map<std::string, uint64_t> rows = by_process(file);

	CHECK(rows.size() == 1);
	CHECK(rows["cli_burn"] > 0);
	/* If no process can be attached, the command does not run. */
	CHECK(profil("record --backend perf -o " + file + " -p 999999999 -- touch " + (directory / "ran"))
		      .status == 1);
	CHECK_FALSE(std::filesystem::exists(directory / "ran"));
}

TEST_CASE("events that cannot be sampled are refused before the command runs", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string touched = directory / "touched";

	if (has(profil("list").text, "\ncache-misses "))
		support::skip("this CPU counts cache misses");
	for (const char *event : {"cache-misses", "page-faults,cache-misses"}) {
		const Output output = profil(std::string("record --backend perf -e ")
						     .append(event)
						     .append(" -o ")
						     .append(file)
						     .append(" -- touch ")
						     .append(touched));

		CAPTURE(event, output.text);
		CHECK(output.status == 1);
		CHECK(has(output.text,
			  "event 'cache-misses': this CPU or kernel cannot sample it (profil list shows"));
		CHECK(access(touched.c_str(), F_OK) != 0);
	}
}
