// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/rows/comparison.cpp  Differences of two profiles, and their
 * significance. */
#include "cli/rows/comparison.h"
#include "cli/rows/significance.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/event_profile.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"

#include <array>
#include <fmt/format.h>

using namespace cli;
using cli_test::comparison_of;
using cli_test::has;

namespace {

std::vector<ComparedRow> compared(const Profile &base, const Profile &profile, const char *keys = "function")
{
	return comparison_of(base, profile, keys).compared;
}

Profile slower_profile()
{
	Profile profile = sample_profile();

	profile.samples[0].values[0] = 500;
	profile.samples[1].values[0] = 400;
	return profile;
}

/** Samples of a kernel function and of a module's function, at the given addresses. */
Profile kernel_profile(const std::string &build_id, uint64_t schedule, uint64_t nfs_read)
{
	Profile profile = sample_profile();

	profile.mappings = {
		{schedule & ~0xfffU, (schedule & ~0xfffU) + 0x1000, 0, "[kernel]", build_id, true, false,
		 false, false},
		{0, 0x8000, 0, "[nfs]", build_id + "01", true, false, false, false},
	};
	profile.functions = {{"schedule", "schedule", "", 0}, {"nfs_read", "nfs_read", "", 0}};
	profile.locations = {{0, schedule, {{0, 0}}}, {1, nfs_read, {{1, 0}}}};
	profile.samples = {{{0}, {700, 700700700}, {}}, {{1}, {300, 300300300}, {}}};
	return profile;
}

} // namespace

/* The values were computed with Python's exact fractions. */
TEST_CASE("small counts are tested exactly", "[cli][comparison]")
{
	CHECK(p_value({1, 10, 9, 10}) == Approx(0.001093333910671372).epsilon(1e-9));
	CHECK(p_value({9, 10, 1, 10}) == Approx(0.001093333910671372).epsilon(1e-9));
	CHECK(p_value({3, 1000, 15, 1000}) == Approx(0.00728322374456045).epsilon(1e-9));
	CHECK(p_value({0, 100, 8, 100}) == Approx(0.00675467457524821).epsilon(1e-9));
	CHECK(p_value({50, 1000, 100, 1000}) == Approx(2.7474980521668858e-05).epsilon(1e-9));
	CHECK(p_value({700, 1000, 600, 1000}) == Approx(3.3716997073999386e-06).epsilon(1e-9));
	CHECK(p_value({200, 1000, 260, 1300}) == 1);
}

TEST_CASE("large counts are tested by the normal approximation with Yates' correction", "[cli][comparison]")
{
	CHECK(p_value({100000, 1000000, 101000, 1000000}) == Approx(0.01880101601944737).epsilon(1e-9));
}

TEST_CASE("counts at the ends of their range give no evidence and no nonsense", "[cli][comparison]")
{
	CHECK(p_value({0, 0, 5, 10}) == 1);
	CHECK(p_value({0, 10, 0, 10}) == 1);
	CHECK(p_value({10, 10, 10, 10}) == 1);
	CHECK(p_value({0, UINT64_MAX, UINT64_MAX, UINT64_MAX}) == 1);
	CHECK(p_value({0, 1, 1, 1}) == 1);
	CHECK(p_value({0, 500000000000, 499999999999, 499999999999}) < 1e-9);
}

TEST_CASE("p-values are corrected for the number of rows by Holm's method", "[cli][comparison]")
{
	const std::vector<double> corrected = corrected_for_many(std::array{0.01, 0.04, 0.03, 0.005, 0.9});

	REQUIRE(corrected.size() == 5);
	CHECK(corrected[3] == Approx(0.025));
	CHECK(corrected[0] == Approx(0.04));
	CHECK(corrected[2] == Approx(0.09));
	CHECK(corrected[1] == Approx(0.09));
	CHECK(corrected[4] == Approx(0.9));
}

TEST_CASE("a comparison has shares, difference and marks, the greatest difference first", "[cli][comparison]")
{
	CHECK(has(report_table(comparison_of(sample_profile(), slower_profile(), "function")),
		  R"(test.pb.gz: 1,000 samples at 999 Hz in 1.50 s
compared with old.pb.gz: 1,000 samples at 999 Hz in 1.50 s
program (pid 4711)

base %   new %   delta   function           object
 70.00   50.00  -20.00*  main               program
 20.00   40.00  +20.00*  memcpy             libc.so.6
  6.00    6.00   +0.00   libc.so.6+0x99990  libc.so.6
  4.00    4.00   +0.00   0x7fff12345678     [unknown]
* chance does not explain the difference: p < 0.01, corrected for 4 rows
)"));
}

TEST_CASE("a function whose parameters changed, or are not known, is the same function", "[cli][comparison]")
{
	Profile base = sample_profile();
	Profile now = slower_profile();
	const auto copied = [&](const std::string &before, const std::string &after) {
		std::string shares;

		base.functions[2].name = before;
		now.functions[2].name = after;
		for (const ComparedRow &row : compared(base, now)) {
			if (row.row.function.starts_with("ns::copy"))
				shares += fmt::format("{} {} {}\n", row.row.function, row.base, row.now);
		}
		return shares;
	};

	CHECK(copied("ns::copy", "ns::copy(int)") == "ns::copy(int) 200 400\n");
	CHECK(copied("ns::copy(long)", "ns::copy(int)") == "ns::copy(int) 200 400\n");
	CHECK(copied("ns::copy", "ns::copy_all(int)") == "ns::copy_all(int) 0 400\nns::copy 200 0\n");
	/* With two candidates, it is not known which of them the function became. */
	now.functions[1].name = "ns::copy(char)";
	CHECK(copied("ns::copy", "ns::copy(int)") ==
	      "ns::copy(char) 0 500\nns::copy(int) 0 400\nns::copy 200 0\n");
}

TEST_CASE("values that are not counts have their own unit and no marks", "[cli][comparison]")
{
	Profile base = sample_profile();
	Profile now = slower_profile();

	base.sample_types = now.sample_types = {{"cpu", "nanoseconds"}, {"wall", "nanoseconds"}};
	const std::string text = report_table(comparison_of(base, now, "function"));

	CHECK(has(text, "test.pb.gz: 1,000 nanoseconds at 999 Hz"));
	CHECK(has(text, " 70.00   50.00  -20.00   main "));
	CHECK_FALSE(has(text, "*"));
	for (const ComparedRow &one : compared(base, now))
		CHECK(one.p == 1);
	CHECK(has(report_table(cli_test::report_of(base, "function", {0, 1})),
		  "\nnanoseconds       %   sum %  function  object\n"
		  "        700   70.00   70.00  main      program\n"
		  "... and 3 more rows, of 300 nanoseconds (30.00 %)\n"));
}

TEST_CASE("an event is tested by its samples, not by how many events they stand for",
	  "[cli][comparison][events]")
{
	Profile base = event_profile();
	Profile now = event_profile();

	/* 2 of 3 samples instead of 1 may be chance; 2,000 of 3,000 instead of 1,000 is not. */
	now.samples[0].values[3] = 2000000;
	now.samples[1].values[3] = 1000000;

	const auto find_row = [&](const std::vector<ComparedRow> &rows, std::string_view name) {
		const auto found = std::find_if(rows.begin(), rows.end(), [&](const ComparedRow &one) {
			return one.row.function == name;
		});

		REQUIRE(found != rows.end());
		return *found;
	};
	const Report few = comparison_of(base, now, "function");
	const ComparedRow touch = find_row(few.compared, "touch");

	REQUIRE(touch.events.size() == 3);
	CHECK(touch.events[2].base == 1000000);
	CHECK(touch.events[2].now == 2000000);
	CHECK(touch.events[2].delta() == Approx(100.0 / 3));
	CHECK(touch.events[2].p == p_value({1, 3, 2, 3}));
	CHECK_FALSE(touch.events[2].significant());
	/* The row's own figures are those of the first event, which gives the samples. */
	CHECK(touch.events[0].p == touch.p);
	CHECK(touch.events[0].now == 900);
	/* The p-values of cycles are corrected for two tests, as the row of wait has no cycles. */
	CHECK(touch.events[2].p_corrected == std::min(1.0, 2 * touch.events[2].p));

	/* A further sample of 1,000 cycles changes the unit of the test to thousands. */
	for (Profile *profile : {&base, &now}) {
		profile->locations.push_back({0, 0x401114, {{0, 11}}});
		profile->samples.push_back({{3}, {0, 0, 0, 1000}, {}});
	}

	const Report many = comparison_of(base, now, "function");

	CHECK(find_row(many.compared, "touch").events[2].p == p_value({1001, 3001, 2001, 3001}));
	CHECK(find_row(many.compared, "touch").events[2].significant());
}

TEST_CASE("shares are compared, whatever the rates and durations", "[cli][comparison]")
{
	Profile longer = sample_profile();

	for (Sample &sample : longer.samples)
		sample.values[0] *= 3;
	for (const ComparedRow &one : compared(sample_profile(), longer)) {
		CHECK(one.delta() == Approx(0).margin(1e-9));
		CHECK_FALSE(one.significant());
	}
}

TEST_CASE("a row that only one profile has is new or gone", "[cli][comparison]")
{
	Profile other = sample_profile();

	other.functions[2].name = "memmove";
	const std::string text = report_table(comparison_of(sample_profile(), other, "function"));

	CHECK(has(text, "   new   20.00  +20.00*  memmove "));
	CHECK(has(text, " 20.00    gone  -20.00*  memcpy "));
}

TEST_CASE("an object in another directory is the same one, unless there are two", "[cli][comparison]")
{
	Profile moved = sample_profile();

	moved.mappings[0].filename = "/home/me/build/program";
	moved.functions[0].filename = "/home/me/src/work.cpp";
	CHECK(compared(moved, sample_profile()).size() == 4);
	CHECK(compared(moved, sample_profile(), "line").size() == 4);
	CHECK(compared(moved, sample_profile(), "object").size() == 3);
	moved.mappings[1].filename = "/usr/lib/program";
	CHECK(compared(moved, sample_profile(), "object").size() == 5);
}

TEST_CASE("two kernels are compared by their functions", "[cli][comparison]")
{
	const Profile older = kernel_profile("6001", 0xffffffff81001230, 0x120);
	const Profile newer = kernel_profile("6012", 0xffffffff81004560, 0x340);

	for (const char *keys : {"function", "function,object", "object"}) {
		const std::vector<ComparedRow> rows = compared(older, newer, keys);

		CAPTURE(keys);
		REQUIRE(rows.size() == 2);
		for (const ComparedRow &one : rows)
			CHECK(one.base == one.row.samples);
	}
	/* In another build, the functions have other addresses. */
	CHECK(compared(older, newer, "address").size() == 4);
	CHECK(compared(older, older, "address").size() == 2);
}

TEST_CASE("a file compared with itself has no difference", "[cli][comparison]")
{
	for (const char *keys : {"function", "object", "address", "process", "line", "inlined,function"}) {
		for (const ComparedRow &one : compared(sample_profile(), sample_profile(), keys)) {
			CHECK(one.base == one.row.samples);
			CHECK(one.p == 1);
		}
	}
}

TEST_CASE("rows that a limit hides are accounted for on both sides", "[cli][comparison]")
{
	CHECK(has(report_table(comparison_of(sample_profile(), slower_profile(), "function", {0, 1})),
		  "... and 3 more rows, of 500 samples (50.00 %), before 300 samples (30.00 %)\n"));
}
