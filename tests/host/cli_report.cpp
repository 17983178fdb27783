// SPDX-License-Identifier: GPL-2.0-or-later
// Reports of known counts.
#include "cli/report.h"
#include "cli/text.h"
#include "tests/host/cli_sample_profile.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace cli;

namespace {

std::string table(const Profile &profile, By by, size_t width = 0, std::optional<size_t> rows = std::nullopt)
{
	return report_table(profile, flatten(profile, by), {"test.pb.gz", width, rows});
}

nlohmann::json json(const Profile &profile, By by, std::optional<size_t> rows = std::nullopt)
{
	return nlohmann::json::parse(report_json(profile, flatten(profile, by), {"test.pb.gz", 0, rows}));
}

size_t widest_line(const std::string &text)
{
	size_t widest = 0;

	for (size_t start = 0, end = 0; (end = text.find('\n', start)) != text.npos; start = end + 1)
		widest = std::max(widest, columns(text.substr(start, end - start)));
	return widest;
}

} // namespace

TEST_CASE("the report by function is a flat profile, and accounts for every tick", "[cli]")
{
	CHECK(table(sample_profile(), By::Function) == R"(test.pb.gz: 1,000 samples at 999 Hz in 1.50 s
program (pid 4711)
a counter for every byte of text

samples       %   cum %  function           object
    700   70.00   70.00  main               program
    200   20.00   90.00  memcpy             libc.so.6
     60    6.00   96.00  libc.so.6+0x99990  libc.so.6
     40    4.00  100.00  0x7fff12345678     [unknown]

1,050  100.00 %  ticks of the clock
1,000   95.24 %  counted
   45    4.29 %  in the kernel, not counted (--kernel counts them)
    5    0.48 %  lost: the clock was late
)");
}

TEST_CASE("the report by object adds up its functions", "[cli]")
{
	const std::string text = table(sample_profile(), By::Object);

	CHECK(text.find(R"(
samples       %   cum %  object
    700   70.00   70.00  /opt/bin/program
    260   26.00   96.00  /usr/lib/libc.so.6
     40    4.00  100.00  [unknown]
)") != text.npos);
}

TEST_CASE("the report by address has one row for each", "[cli]")
{
	const std::string text = table(sample_profile(), By::Address);

	CHECK(text.find(R"(
samples       %   cum %         address  function           object
    700   70.00   70.00        0x401110  main               program
    200   20.00   90.00         0x30000  memcpy             libc.so.6
     60    6.00   96.00         0x99990  libc.so.6+0x99990  libc.so.6
     40    4.00  100.00  0x7fff12345678  0x7fff12345678     [unknown]
)") != text.npos);
}

TEST_CASE("the same function of several addresses is one row", "[cli]")
{
	Profile profile = sample_profile();

	profile.locations.push_back({0, 0x401200, {{1, 30}}});
	profile.samples.push_back({{4}, {300, 0}, {}});
	const Flat flat = flatten(profile, By::Function);

	CHECK(flat.samples == 1300);
	CHECK(flat.rows.front().function == "main");
	CHECK(flat.rows.front().samples == 1000);
	CHECK(flatten(profile, By::Address).rows.size() == 5);
}

TEST_CASE("functions of one name in two objects are two rows", "[cli]")
{
	Profile profile = sample_profile();

	profile.locations[1].lines = {{1, 0}};
	CHECK(flatten(profile, By::Function).rows.size() == 4);
}

TEST_CASE("rows with as many samples are in the order of their names", "[cli]")
{
	Profile profile = sample_profile();

	for (Sample &sample : profile.samples)
		sample.values[0] = 5;
	const Flat flat = flatten(profile, By::Function);

	for (size_t i = 1; i < flat.rows.size(); i++)
		CHECK(flat.rows[i - 1].function < flat.rows[i].function);
}

TEST_CASE("no line is wider than the terminal", "[cli]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "std::vector<" + std::string(300, 'T') + ">::push_back(T&&)";
	profile.mappings[0].filename = "/opt/" + std::string(100, 'p');
	for (const By by : {By::Function, By::Object, By::Address}) {
		for (const size_t width : {80, 100, 132, 200})
			CHECK(widest_line(table(profile, by, width)) <= width);
		/* Below some width names would vanish; numbers and a bit of name stay. */
		CHECK(widest_line(table(profile, by, 20)) <= 70);
	}
	CHECK(table(profile, By::Function, 80).find("std::vector<TTT") != std::string::npos);
}

TEST_CASE("names from foreign binaries cannot move the cursor", "[cli]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "evil\x1b[2J\nname\x9b";
	const std::string text = table(profile, By::Function);

	CHECK(text.find('\x1b') == text.npos);
	CHECK(text.find("evil?[2J?name?") != text.npos);
}

TEST_CASE("a limit of rows says how many more there are", "[cli]")
{
	const std::string text = table(sample_profile(), By::Function, 0, 1);

	CHECK(text.find("main") != text.npos);
	CHECK(text.find("memcpy") == text.npos);
	CHECK(text.find("... and 3 more\n") != text.npos);
	CHECK(json(sample_profile(), By::Function, 1)["rows"].size() == 1);
}

TEST_CASE("a profile without samples is reported as such", "[cli]")
{
	Profile profile = sample_profile();

	profile.samples.clear();
	CHECK(table(profile, By::Function).find("test.pb.gz: 0 samples") == 0);
	CHECK(json(profile, By::Function)["rows"].empty());
}

TEST_CASE("profiles of other tools have neither targets nor ticks", "[cli]")
{
	Profile profile = sample_profile();

	profile.comments = {"made elsewhere", "profil.", "profil.ticks"};
	profile.sample_types = {{"alloc_objects", "count"}, {"alloc_space", "bytes"}};
	profile.period_type = {};
	const std::string text = table(profile, By::Function);

	CHECK(text.find("test.pb.gz: 1,000 samples in 1.50 s\n\nsamples") == 0);
	CHECK(text.find("ticks") == text.npos);
}

TEST_CASE("JSON says what the table says", "[cli]")
{
	const nlohmann::json document = json(sample_profile(), By::Function);

	CHECK(document["samples"] == 1000);
	CHECK(document["by"] == "function");
	CHECK(document["period_ns"] == 1001001);
	CHECK(document["duration_ns"] == 1500000000);
	CHECK(document["targets"][0] == "program (pid 4711)");
	CHECK(document["ticks"]["total"] == 1050);
	CHECK(document["ticks"]["lost_late"] == 5);
	REQUIRE(document["rows"].size() == 4);
	CHECK(document["rows"][0]["function"] == "main");
	CHECK(document["rows"][0]["object"] == "/opt/bin/program");
	CHECK(document["rows"][0]["build_id"] == "c0ffee");
	CHECK(document["rows"][1]["percent"] == 20.0);
	CHECK(document["rows"][1]["cumulative_percent"] == 90.0);
}

TEST_CASE("JSON by address has the source line of what was inlined there", "[cli]")
{
	const nlohmann::json row = json(sample_profile(), By::Address)["rows"][0];

	CHECK(row["address"] == "0x401110");
	CHECK(row["function"] == "main");
	CHECK(row["file"] == "/src/work.cpp");
	CHECK(row["line"] == 10);
}

TEST_CASE("JSON is valid whatever the names are", "[cli]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "quote\" backslash\\ newline\n not UTF-8 \xff";
	CHECK(json(profile, By::Function)["rows"][0]["samples"] == 700);
}
