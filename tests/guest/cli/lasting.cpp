// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/lasting.cpp  Recordings that outlast their first table, or their first numbers. */
#include "tests/guest/cli/support.h"

#include <set>
#include <sstream>

using namespace cli_test;

TEST_CASE("a program of more places than the table has elements loses nothing", "[cli][lasting]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record --max-memory 8K -F 100 -o " + file + " -- " +
				     program("cli_burn") + " 9000 wide");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file, "address");
	std::set<std::string> places;

	for (const Json &row : json["rows"])
		places.insert(row["address"].get<std::string>());
	/*
	 * The first table had 256 elements, and at most two tables existed at a time.  The bound is
	 * low: on a busy host there is a tick only about every 20 ms, and profil reads the table
	 * late.
	 */
	CHECK(places.size() > 256);
	CHECK(json["ticks"]["lost_full"] == 0);
	CHECK(has(output.text, "\n  8.0 KiB of counters"));
	CHECK_FALSE(has(output.text, "missing from the profile"));
}

TEST_CASE("after a storm of more processes than there are numbers, the last ones have their names",
	  "[cli][lasting][slow]")
{
	/* Each process takes at least four of the recording's 32,768 numbers. */
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		profil("record --per-process -o " + file + " -- " + program("cli_burn") + " 100 storm");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const int last = std::stoi(output.text);
	const Json json = parse_json(profil("report --json --sort process " + file).text);
	bool named = false;

	for (const Json &row : json["rows"])
		named = named || (row["process"] == "cli_burn" && row.contains("pid") && row["pid"] == last);
	CHECK(named);
	/* On a busy host, forks can outrun the refills of the recording's pool. */
	const Json functions = report(file);

	CHECK(functions["processes"].get<int>() + functions["ticks"]["forks_lost"].get<int>() == 9051);
}

TEST_CASE("a process that had no ticks during a storm of others has its name when it ticks after it",
	  "[cli][lasting][slow]")
{
	/* As in the test above, most numbers are forgotten. */
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const IdleProgram idle(1000);
	HeldProgram storm("cli_burn 10 storm");
	guest::Child record = start({profil_path(), "record", "--per-process", "-o", file, "-p",
				     std::to_string(idle.pid()) + "," + std::to_string(storm.pid())},
				    directory / "output");

	REQUIRE(soon([] { return guest::module_stat("profiles") >= 1; }));
	REQUIRE(soon([&] { return guest::asleep(record.pid()); }));
	storm.go();
	REQUIRE(storm.end() == 0);
	idle.burn();
	REQUIRE(samples_come(200));
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
	INFO(read_file(directory / "output"));

	const std::map<std::string, uint64_t> samples = by_process(file);

	CHECK(samples.contains("cli_burn " + std::to_string(idle.pid())));
	/* No other process has this PID. */
	CHECK(std::count_if(samples.begin(), samples.end(), [&](const auto &one) {
		      return one.first.ends_with(" " + std::to_string(idle.pid()));
	      }) == 1);
}
