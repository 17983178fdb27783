// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/report.cpp  Reports of known counts. */
#include "cli/commands/report/report.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"

#include <fmt/format.h>

using namespace cli;
using cli_test::report_of;

namespace {

std::string table(const Profile &profile, const std::string &keys, size_t width = 0,
		  std::optional<size_t> rows = std::nullopt)
{
	return report_table(report_of(profile, keys, {width, rows}));
}

nlohmann::json json(const Profile &profile, const std::string &keys,
		    std::optional<size_t> rows = std::nullopt)
{
	return support::parse_json(report_json(report_of(profile, keys, {0, rows})));
}

Flat flat(const Profile &profile, const std::string &keys)
{
	return flatten(profile, {*parse_sort_keys(keys), {}});
}

} // namespace

TEST_CASE("the report by function is a flat profile, and accounts for every tick", "[cli]")
{
	CHECK(table(sample_profile(), "function") == R"(test.pb.gz: 1,000 samples at 999 Hz in 1.50 s
program (pid 4711)

samples  seconds       %   sum %  function           object
    700     0.70   70.00   70.00  main               program
    200     0.20   20.00   90.00  memcpy             libc.so.6
     60     0.06    6.00   96.00  libc.so.6+0x99990  libc.so.6
     40     0.04    4.00  100.00  0x7fff12345678     [unknown]

1,050  100.00 %  ticks of the clock
1,000   95.24 %  counted
   45    4.29 %  in the kernel, not counted (--user-only)
    5    0.48 %  lost: the clock was late
)");
}

TEST_CASE("the report by object adds up its functions", "[cli]")
{
	const std::string text = table(sample_profile(), "object");

	CHECK(text.find(R"(
samples  seconds       %   sum %  object
    700     0.70   70.00   70.00  /opt/bin/program
    260     0.26   26.00   96.00  /usr/lib/libc.so.6
     40     0.04    4.00  100.00  [unknown]
)") != text.npos);
}

TEST_CASE("the report by address has one row for each", "[cli]")
{
	const std::string text = table(sample_profile(), "address");

	CHECK(text.find(R"(
samples  seconds       %   sum %         address  function           object
    700     0.70   70.00   70.00        0x401110  main               program
    200     0.20   20.00   90.00         0x30000  memcpy             libc.so.6
     60     0.06    6.00   96.00         0x99990  libc.so.6+0x99990  libc.so.6
     40     0.04    4.00  100.00  0x7fff12345678  0x7fff12345678     [unknown]
)") != text.npos);
}

TEST_CASE("the same function of several addresses is one row", "[cli]")
{
	Profile profile = sample_profile();

	profile.locations.push_back({0, 0x401200, {{1, 30}}});
	profile.samples.push_back({{4}, {300, 0}, {}});
	const Flat sums = flat(profile, "function");

	CHECK(sums.samples == 1300);
	CHECK(sums.rows.front().function == "main");
	CHECK(sums.rows.front().samples == 1000);
	CHECK(flat(profile, "address").rows.size() == 5);
}

TEST_CASE("functions of one name in two objects are two rows", "[cli]")
{
	Profile profile = sample_profile();

	profile.locations[1].lines = {{1, 0}};
	CHECK(flat(profile, "function").rows.size() == 4);
}

TEST_CASE("rows with equal samples are sorted by name", "[cli]")
{
	Profile profile = sample_profile();

	for (Sample &sample : profile.samples)
		sample.values[0] = 5;
	const Flat sums = flat(profile, "function");

	for (size_t i = 1; i < sums.rows.size(); i++)
		CHECK(sums.rows[i - 1].function < sums.rows[i].function);
}

TEST_CASE("names from foreign binaries cannot move the cursor", "[cli]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "evil\x1b[2J\nname\x9b";
	const std::string text = table(profile, "function");

	CHECK(text.find('\x1b') == text.npos);
	CHECK(text.find("evil?[2J?name?") != text.npos);
}

TEST_CASE("the description of a recording stays on its line", "[cli]")
{
	Profile profile = sample_profile();

	profile.comments = {"profil.target: a\nsamples"};
	for (const char *program : {"", "d\nsamples"}) {
		profile.samples[0].labels = {{"process", program, 0, ""}};

		Report report = report_of(profile, "function");

		report.now.files = {"c\nsamples"};
		CHECK(report_table(report).starts_with(
			fmt::format("c?samples: 1,000 samples at 999 Hz in 1.50 s\n{}?samples\n\n",
				    *program ? "d" : "a")));
	}
}

TEST_CASE("objects and functions without a name are unknown, or have the linker's name", "[cli]")
{
	Profile profile = sample_profile();

	profile.functions[1].name.clear();
	profile.functions[1].system_name = "_main";
	profile.mappings[1].filename.clear();
	const Flat sums = flat(profile, "function");

	CHECK(sums.rows[0].function == "_main");
	CHECK(sums.rows[1].object == "[unknown]");
	CHECK(sums.rows[2].function == "0x99990");
	profile.mappings[1].filename = "/" + std::string(1000, 'n');
	CHECK(flat(profile, "function").rows[2].function == std::string(255, 'n') + "+0x99990");
}

TEST_CASE("a share is never more than 100 %", "[cli]")
{
	for (uint64_t samples = 1; samples < 1000; samples++)
		CHECK(percent_of(samples, samples) == 100);
	CHECK(percent_of((uint64_t{1} << 53) - 1, (uint64_t{1} << 53) - 1) == 100);
	CHECK(percent_of(1535122591741600163, 1535122591741600163) == 100);
}

TEST_CASE("a limit of rows says how many more there are", "[cli]")
{
	const std::string text = table(sample_profile(), "function", 0, 1);

	CHECK(text.find("main") != text.npos);
	CHECK(text.find("memcpy") == text.npos);
	CHECK(text.find("... and 3 more rows, of 300 samples (30.00 %)\n") != text.npos);
	CHECK(json(sample_profile(), "function", 1)["rows"].size() == 1);
}

TEST_CASE("a profile without samples is reported as such", "[cli]")
{
	Profile profile = sample_profile();

	profile.samples.clear();
	CHECK(table(profile, "function").find("test.pb.gz: 0 samples") == 0);
	CHECK(json(profile, "function")["rows"].empty());
}

TEST_CASE("profiles of other tools have neither targets nor ticks", "[cli]")
{
	Profile profile = sample_profile();

	profile.comments = {"made elsewhere", "profil.", "profil.ticks"};
	profile.sample_types = {{"alloc_objects", "count"}, {"alloc_space", "bytes"}};
	profile.period_type = {};
	const std::string text = table(profile, "function");

	CHECK(text.find("test.pb.gz: 1,000 alloc_objects in 1.50 s\n\nalloc_objects ") == 0);
	CHECK(text.find("ticks") == text.npos);
}

TEST_CASE("of another tool's values those are shown that it has marked, or that are asked for", "[cli]")
{
	Profile profile = sample_profile();

	profile.sample_types = {{"alloc_objects", "count"}, {"alloc_space", "bytes"}};
	profile.period_type = {};
	profile.default_sample_type = "alloc_space";
	CHECK(json(profile, "function")["value"] == "alloc_space");
	CHECK(json(profile, "function")["samples"] == 1001001000);
	CHECK(table(profile, "function").find("test.pb.gz: 1,001,001,000 bytes in 1.50 s\n") == 0);

	profile.default_sample_type = "none";
	CHECK(json(profile, "function")["value"] == "alloc_objects");

	Profile chosen = profile;
	REQUIRE(keep_value(chosen, "alloc_space"));
	CHECK(json(chosen, "function")["value"] == "alloc_space");
	CHECK(json(chosen, "function")["samples"] == 1001001000);

	const Outcome wrong = keep_value(profile, "inuse");
	REQUIRE_FALSE(wrong);
	CHECK(wrong.error().text ==
	      "there are no values 'inuse' (--value takes: alloc_objects, alloc_space)");
	/* profil's own recordings show samples, whatever default type they name for other tools. */
	CHECK(json(sample_profile(), "function")["value"] == "samples");
}

TEST_CASE("JSON says what the table says", "[cli]")
{
	const nlohmann::json document = json(sample_profile(), "function");

	CHECK(document["samples"] == 1000);
	CHECK(document["by"] == "function");
	CHECK(document["period_ns"] == 1001001);
	CHECK(document["duration_ns"] == 1500000000);
	CHECK(document["unit"] == "count");

	Profile cycles = sample_profile();

	cycles.period_type = {"cycles", "count"};
	CHECK(json(cycles, "function")["period_ns"] == 0);
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
	const nlohmann::json row = json(sample_profile(), "address")["rows"][0];

	CHECK(row["address"] == "0x401110");
	CHECK(row["function"] == "main");
	CHECK(row["file"] == "/src/work.cpp");
	CHECK(row["line"] == 10);
}

TEST_CASE("JSON is valid whatever the names are", "[cli]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "quote\" backslash\\ newline\n not UTF-8 \xff";
	CHECK(json(profile, "function")["rows"][0]["samples"] == 700);
}
