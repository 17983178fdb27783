// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/export/programs.cpp  Exports of samples that name their program, without a
 * PID. */
#include "tests/host/cli/commands/export/support.h"
#include "tests/support/json.h"

using namespace export_test;

namespace {

using support::Json;

/** 2 samples of sh, 3 of "a b" and 1 of an unknown program, all in the same function. */
Profile programs()
{
	Profile profile = sample_profile();

	profile.samples = {
		{{1}, {2, 2002002}, {{"process", "sh", 0, ""}}},
		{{1}, {3, 3003003}, {{"process", "a b", 0, ""}}},
		{{1}, {1, 1001001}, {}},
	};
	return profile;
}

size_t times(const std::string &text, const std::string &part)
{
	size_t count = 0;

	for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
		count++;
	return count;
}

} // namespace

TEST_CASE("perf-script names each sample's program, with PID 0 where it is not known", "[cli][export]")
{
	const std::string text = *export_perf_script(programs());

	CHECK(times(text, "sh     0/0     ") == 2);
	CHECK(times(text, "a_b     0/0     ") == 3);
	CHECK(times(text, "program     0/0     ") == 1);
}

TEST_CASE("folded stacks begin with the program, without a PID", "[cli][export]")
{
	CHECK(*export_folded(programs()) == "a b;libc.so.6;memcpy 3\nlibc.so.6;memcpy 1\n"
					    "sh;libc.so.6;memcpy 2\n");
}

TEST_CASE("csv has a row for each program, without a PID", "[cli][export]")
{
	const std::string text = *export_csv(programs());

	CHECK(has(text, "\r\n3,50.0000,memcpy,/usr/lib/libc.so.6,,0x30000,,,a b,\r\n"));
	CHECK(has(text, "\r\n2,33.3333,memcpy,/usr/lib/libc.so.6,,0x30000,,,sh,\r\n"));
	CHECK(has(text, "\r\n1,16.6667,memcpy,/usr/lib/libc.so.6,,0x30000,,,,\r\n"));
}

TEST_CASE("speedscope has a profile for each program, and shows the one with most samples", "[cli][export]")
{
	Profile profile = programs();
	const Json json = support::parse_json(*export_speedscope(profile));

	REQUIRE(json["profiles"].size() == 3);
	CHECK(json["profiles"][0]["name"] == "program");
	CHECK(json["profiles"][1]["name"] == "a b");
	CHECK(json["profiles"][2]["name"] == "sh");
	CHECK(json["profiles"][1]["endValue"] == 3);
	CHECK(json["activeProfileIndex"] == 1);

	profile.samples[0].values = {5, 5005005};
	CHECK(support::parse_json(*export_speedscope(profile))["activeProfileIndex"] == 2);
}

TEST_CASE("the Firefox Profiler gets a thread for each program, with PIDs that differ", "[cli][export]")
{
	const Json threads = support::parse_json(*export_firefox(programs()))["threads"];
	std::vector<std::string> seen;

	for (const Json &thread : threads)
		seen.push_back(fmt::format("{} {}", thread["processName"].get<std::string>(),
					   thread["pid"].get<std::string>()));
	CHECK(seen == std::vector<std::string>{"program 0", "a b 0.1", "sh 0.2"});
}

TEST_CASE("callgrind adds up programs that run the same function", "[cli][export]")
{
	CHECK(has(*export_callgrind(programs()), "summary: 6\n"));
}
