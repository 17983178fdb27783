// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/profile/perf_script.cpp  The output of perf script, read as a profile. */
#include "cli/profile/perf_script.h"

#include "cli/commands/export/export.h"
#include "cli/profile/location.h"
#include "cli/rows/flat.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"

#include <fmt/format.h>

#include <map>

using namespace cli;

namespace {

Profile read(const std::string &text)
{
	Result<Profile> profile = read_perf_script(text);

	if (!profile)
		FAIL(profile.error().text);
	REQUIRE(is_perf_script(text));
	return *std::move(profile);
}

std::string error_of(const std::string &text, size_t most_memory = 1 << 20)
{
	const Result<Profile> profile = read_perf_script(text, most_memory);

	return profile ? "" : profile.error().text;
}

/** The samples of each row by "command object function". */
std::map<std::string, uint64_t> rows_of(const Profile &profile)
{
	std::map<std::string, uint64_t> rows;

	const Flat flat = flatten(profile, {{SortKey::Command, SortKey::Object, SortKey::Function}, {}});

	for (const Row &row : flat.rows)
		rows[fmt::format("{} {} {}", row.command, row.object, row.function)] = row.samples;
	return rows;
}

constexpr char flat[] =
	"# captured on: Fri Nov 27 2026\n"
	"#\n"
	"            perl   208    12.345678:    1001001 cpu-clock:pppH:      55d0c0a1b2c3 "
	"Perl_sv_setsv_flags+0x123 (/usr/bin/perl)\n"
	"            perl   208    12.346679:    1001001 cpu-clock:pppH:      55d0c0a1b2c8 "
	"Perl_sv_setsv_flags+0x128 (/usr/bin/perl)\n"
	"  Web Content 3    209 [001] 12.347680:    1001001 cpu-clock:pppH:  ffffffff81e00000 "
	"clear_page_erms+0x7 ([kernel.kallsyms])\n"
	"            perl   208    12.348681:    1001001 cpu-clock:pppH:      55d0c0000010 "
	"[unknown] (/tmp/a program (deleted))\n"
	"            perl   208    13.345678:    1001001 cpu-clock:pppH:                 0 "
	"[unknown] ([unknown])\n";

} // namespace

TEST_CASE("a line of perf script is a sample of its command, object and function", "[cli]")
{
	const Profile profile = read(flat);

	CHECK(rows_of(profile) ==
	      std::map<std::string, uint64_t>{
		      {"perl /usr/bin/perl Perl_sv_setsv_flags", 2},
		      {"Web Content 3 [kernel] clear_page_erms", 1},
		      {"perl /tmp/a program (deleted) a program (deleted)+0x55d0c0000010", 1},
		      {"perl [unknown] 0x0", 1},
	      });
	CHECK(profile.sample_types ==
	      std::vector<ValueType>{{"samples", "count"}, {"cpu-clock:pppH", "nanoseconds"}});
	CHECK(profile.period == 1001001);
	CHECK(profile.period_type == ValueType{"cpu", "nanoseconds"});
	CHECK(profile.duration_nanos == Approx(1e9));
}

TEST_CASE("a record of perf script with a stack is a sample of its first function", "[cli]")
{
	const Profile profile = read("words 300/301 [000]  1.000000:   1000 cycles:u: \n"
				     "\t    401120 std::sort<int>(int*)+0x20 (inlined)\n"
				     "\t    401120 words::sort+0x20 (/opt/words)\n"
				     "\t    401200 main+0x10 (/opt/words)\n"
				     "\n"
				     "words 300/302 [000]  1.500000:   3000 cycles:u: \n"
				     "\t    401120 std::sort<int>(int*)+0x20 (inlined)\n"
				     "\t    401120 words::sort+0x20 (/opt/words)\n"
				     "\t    401200 main+0x10 (/opt/words)\n"
				     "\n"
				     "words 300/300 [000]  1.700000:   500 cycles:u: \n"
				     "\n");

	REQUIRE(profile.samples.size() == 2);
	CHECK(rows_of(profile) == std::map<std::string, uint64_t>{{"words /opt/words words::sort", 2},
								  {"words [unknown] 0x0", 1}});
	for (const Sample &sample : profile.samples) {
		const bool placed = sample.locations.size() > 1;

		CHECK(sample.values ==
		      (placed ? std::vector<int64_t>{2, 4000} : std::vector<int64_t>{1, 500}));
		CHECK(process_of(sample).pid == 300);
		if (!placed)
			continue;
		REQUIRE(sample.locations.size() == 2);
		const Location &leaf = profile.locations[sample.locations[0]];
		REQUIRE(leaf.lines.size() == 2);
		CHECK(profile.functions[leaf.lines[0].function].name == "std::sort<int>(int*)");
	}
	CHECK(profile.sample_types[1] == ValueType{"cycles:u", "count"});
	/* The periods differ, so the profile has none. */
	CHECK(profile.period == 0);
}

TEST_CASE("several events of perf script are values of their own", "[cli]")
{
	Profile profile = read("a 1 1.0: 10 cycles: 1000 f+0x0 (/a)\n"
			       "a 1 1.1: 7 cache-misses: 1000 f+0x0 (/a)\n"
			       "a 1 1.2: 5 cache-misses: 2000 g+0x0 (/a)\n");

	CHECK(profile.sample_types == std::vector<ValueType>{{"cache-misses", "count"}, {"cycles", "count"}});
	CHECK(rows_of(profile) == std::map<std::string, uint64_t>{{"a /a f", 7}, {"a /a g", 5}});
	REQUIRE(keep_value(profile, "cycles"));
	CHECK(rows_of(profile) == std::map<std::string, uint64_t>{{"a /a f", 10}});
}

TEST_CASE("periods of perf script that are too large to add up stay the largest value", "[cli]")
{
	const std::string line = "a 1 1.0: 9223372036854775807 cycles: 1000 f+0x0 (/a)\n";
	const Profile profile = read(line + line + "a 1 1.1: 9 cycles: 1000 f+0x0 (/a)\n");

	REQUIRE(profile.samples.size() == 1);
	CHECK(profile.samples[0].values == std::vector<int64_t>{3, INT64_MAX});
}

TEST_CASE("an export for perf script's readers can be read back", "[cli]")
{
	const Result<std::string> text = export_perf_script(sample_profile());

	REQUIRE(text);
	const Profile profile = read(*text);
	const auto rows = rows_of(profile);

	CHECK(rows.at("program /opt/bin/program main") == 700);
	CHECK(rows.at("program /usr/lib/libc.so.6 memcpy") == 200);
	CHECK(rows.at("program /usr/lib/libc.so.6 libc.so.6+0x99990") == 60);
	CHECK(rows.at("program [unknown] 0x7fff12345678") == 40);
}

TEST_CASE("text that perf script does not print is refused", "[cli]")
{
	for (const char *text : {"", "# only a comment\n", "hello\n", "\x1f\x8b", "perl 208 12.3\n",
				 "perl 208 12.3: 1001 nocolon 55d0 f (x)\n",
				 "perl x/208 12.3: 1 a: 1 f (x)\n", "\t  55d0 f (x)\n"}) {
		CAPTURE(text);
		CHECK_FALSE(is_perf_script(text));
	}
	CHECK(error_of(std::string(flat) + "perl ended\n") ==
	      "line 8 does not begin as perf script prints it without options (comm, thread, time, event)");
}

TEST_CASE("text like perf script's stays within its limit of memory", "[cli]")
{
	std::string text, events;

	for (int i = 0; i < 20000; i++)
		text += "a 1 1.0: 1 e: " + std::to_string(i) + " f" + std::to_string(i) + " (/a)\n";
	CHECK(error_of(text) == "the file is too large: it needs more than 1.0 MiB");
	for (int i = 0; i < 65; i++)
		events += "a 1 1.0: 1 e" + std::to_string(i) + ": 1 f (/a)\n";
	CHECK(error_of(events) == "line 65: more than 64 events");
}
