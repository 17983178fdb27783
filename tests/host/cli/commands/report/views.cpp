// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/views.cpp  The meaning and the choice of rows; no
 * sample is lost. */
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"

using namespace cli;
using cli_test::has;
using cli_test::report_of;

namespace {

std::string table(const std::string &keys, const std::vector<std::string> &filters = {})
{
	return report_table(report_of(sample_profile(), keys, {}, filters));
}

uint64_t sum(const Flat &flat)
{
	uint64_t samples = 0;

	for (const Row &row : flat.rows)
		samples += row.samples;
	return samples;
}

std::string reason(const std::string &keys)
{
	return parse_sort_keys(keys).error().text;
}

std::string filter_reason(const std::string &filter)
{
	return parse_filter(filter).error().text;
}

uint64_t passing(const std::vector<std::string> &filters)
{
	return sum(report_of(sample_profile(), "function", {}, filters).now.flat);
}

} // namespace

TEST_CASE(
	"a note says why Python's functions are not told apart, if its interpreter has a share that matters",
	"[cli][report]")
{
	const std::string note = " in Python's interpreter, whose samples stand for all Python functions";
	Profile profile = sample_profile();
	const auto shown = [&](const std::string &keys) { return report_table(report_of(profile, keys)); };

	CHECK_FALSE(has(shown("function"), note));
	profile.functions[2].name = profile.functions[2].system_name = "_PyEval_EvalFrameDefault";
	CHECK(has(shown("function"), "200 samples (20.00 %)" + note));
	CHECK_FALSE(has(shown("object"), note));
	profile.samples[1].values[0] = 41;
	CHECK_FALSE(has(shown("function"), note));
}

TEST_CASE("inlined functions are rows of their own on demand", "[cli][report]")
{
	CHECK(has(table("inlined"), R"(
samples  seconds       %   sum %  function           object
    700     0.70   70.00   70.00  work (inlined)     program
    200     0.20   20.00   90.00  memcpy             libc.so.6
)"));
	CHECK(has(table("inlined,function"), R"(
samples  seconds       %   sum %  inlined            function           object
    700     0.70   70.00   70.00  work (inlined)     main               program
)"));
}

TEST_CASE("the report by line has the innermost function, and says where no line is known", "[cli][report]")
{
	CHECK(has(table("line"), R"(
samples  seconds       %   sum %  line         function           object
    700     0.70   70.00   70.00  work.cpp:10  work (inlined)     program
    200     0.20   20.00   90.00  ??:0         memcpy             libc.so.6
)"));
}

TEST_CASE("the report by process has name and pid of the labels", "[cli][report]")
{
	CHECK(has(table("process"), R"(
samples  seconds       %   sum %  process
    700     0.70   70.00   70.00  program (pid 4711)
    300     0.30   30.00  100.00  [unknown]
)"));
	CHECK(has(table("command"), "    700     0.70   70.00   70.00  program\n"));
}

TEST_CASE("several keys group by all of them, in the order that was asked for", "[cli][report]")
{
	Profile profile = sample_profile();

	profile.samples.push_back({{0}, {100, 0}, {{"process", "program", 0, ""}, {"pid", "", 4712, ""}}});
	CHECK(has(report_table(report_of(profile, "process,function")), R"(
samples  seconds       %   sum %  process             function           object
    700     0.70   63.64   63.64  program (pid 4711)  main               program
    200     0.20   18.18   81.82  [unknown]           memcpy             libc.so.6
    100     0.10    9.09   90.91  program (pid 4712)  main               program
)"));
	CHECK(has(report_table(report_of(profile, "command,object")), R"(
samples  seconds       %   sum %  command    object
    800     0.80   72.73   72.73  program    program
    260     0.26   23.64   96.36  [unknown]  libc.so.6
)"));
}

TEST_CASE("keys may be spelt as perf report spells them", "[cli][report]")
{
	using enum SortKey;

	CHECK(*parse_sort_keys("sym,srcline,dso,pid,comm") ==
	      std::vector{Function, Line, Object, Process, Command});
	CHECK(*parse_sort_keys("symbol,function") == std::vector{Function});
	for (const char *wrong : {"colour", "", "function,", ",function", "function,,object"})
		CHECK(has(reason(wrong),
			  "is not function, inlined, line, object, process, command or address"));
}

TEST_CASE("samples without a location have a row", "[cli][report]")
{
	Profile profile = sample_profile();

	profile.samples.push_back({{}, {500, 0}, {}});
	for (const char *keys : {"function", "inlined", "line", "object", "process", "address"}) {
		const Flat flat = report_of(profile, keys).now.flat;

		CHECK(flat.samples == 1500);
		CHECK(sum(flat) == 1500);
	}
	CHECK(has(report_table(report_of(profile, "function")),
		  "    500     0.50   33.33   80.00  [unknown]          [unknown]\n"));
}

TEST_CASE("sums that overflow saturate, and the report says so", "[cli][report]")
{
	Profile profile = sample_profile();

	for (Sample &sample : profile.samples)
		sample.values[0] = INT64_MAX;
	const Report report = report_of(profile, "function");

	CHECK(report.now.flat.samples == UINT64_MAX);
	CHECK(report.now.flat.saturated);
	CHECK(has(report_table(report), "18,446,744,073,709,551,615 samples"));
	CHECK(has(report_table(report),
		  "sums have overflowed, and stop at 18,446,744,073,709,551,615 samples; the percentages"));
	profile.samples.resize(2);
	CHECK_FALSE(report_of(profile, "function").now.flat.saturated);
}

TEST_CASE("rows below a share are not shown, but accounted for", "[cli][report]")
{
	const std::string text =
		report_table(report_of(sample_profile(), "function", {0, std::nullopt, 6.0}));

	CHECK(has(text, "libc.so.6+0x99990"));
	CHECK(has(text, "... and 1 more row, of 40 samples (4.00 %)\n"));
}

TEST_CASE("filters match samples by function, object, file, process and pid", "[cli][report]")
{
	CHECK(passing({"function=^main$"}) == 700);
	CHECK(passing({"function=^work"}) == 700);
	CHECK(passing({"function=m(ain|emcpy)"}) == 900);
	CHECK(passing({"function=^libc\\.so\\.6\\+0x9999"}) == 60);
	CHECK(passing({"object=libc"}) == 260);
	CHECK(passing({"object=unknown"}) == 40);
	CHECK(passing({"file=/src/work"}) == 700);
	CHECK(passing({"file!=."}) == 300);
	CHECK(passing({"process=^program$"}) == 700);
	CHECK(passing({"pid=1,4711"}) == 700);
	CHECK(passing({"pid=471"}) == 0);
	CHECK(passing({"pid!=4711"}) == 300);
}

TEST_CASE("all filters must match, and != inverts one", "[cli][report]")
{
	CHECK(passing({"function!=^work"}) == 300);
	CHECK(passing({"object=libc", "function!=memcpy"}) == 60);
	CHECK(passing({"object=libc", "object=program"}) == 0);
}

TEST_CASE("filters keep percentages as they are, and say what they left out", "[cli][report]")
{
	const std::string text = table("function", {"object=libc", "function=mem"});

	CHECK(has(text, "    200     0.20   20.00   20.00  memcpy    libc.so.6\n"));
	CHECK(has(text, "800 samples (80.00 %) left out by --filter object=libc, function=mem\n"));
}

TEST_CASE("a report by process of a profile without processes says how to record them", "[cli][report]")
{
	const std::string advice = "the profile does not distinguish processes (record with --per-process)\n";
	Profile merged = sample_profile();

	for (Sample &sample : merged.samples)
		sample.labels = {};
	for (const char *keys : {"process", "comm,function"}) {
		CHECK(has(report_table(report_of(merged, keys)), advice));
		CHECK(!has(report_table(report_of(sample_profile(), keys)), advice));
	}
	for (const char *filter : {"process=a", "pid!=1"}) {
		CHECK(has(report_table(report_of(merged, "function", {}, {filter})), advice));
		CHECK(!has(report_table(report_of(sample_profile(), "function", {}, {filter})), advice));
	}
	CHECK(!has(report_table(report_of(merged, "function")), advice));
}

TEST_CASE("filters that mean nothing are refused", "[cli][report]")
{
	CHECK(has(filter_reason("main"), "does not begin with function=, object=, file=, process= or pid="));
	CHECK(has(filter_reason("colour=red"), "does not begin with"));
	CHECK(has(filter_reason("function=("), "'(' is not a regular expression: "));
	CHECK(has(filter_reason("pid=12x"), "'12x' is not a process ID"));
	CHECK(has(filter_reason("pid="), "'' is not a process ID"));
}

TEST_CASE("a name of megabytes is matched without recursion", "[cli][report]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = std::string(size_t{8} << 20, 'x') + "y";
	CHECK(sum(report_of(profile, "function", {}, {"function=^(x|z)*y$"}).now.flat) == 700);
}

TEST_CASE("a name is matched beyond its NULs", "[cli][report]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = std::string("a\0b", 3);
	CHECK(sum(report_of(profile, "function", {}, {"function=b$"}).now.flat) == 700);
}
