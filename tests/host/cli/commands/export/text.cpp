// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/export/text.cpp  Text formats, read by the tools that they are for. */
#include "tests/host/cli/commands/export/support.h"

#include <regex>

using namespace export_test;

namespace {

constexpr char flamegraph[] = "perl /usr/share/perl5/Devel/NYTProf/flamegraph.pl ";

/** Samples that flamegraph.pl draws. */
uint64_t drawn_by_flamegraph(const Profile &profile)
{
	const TemporaryDirectory directory;
	const std::string svg = output_of(flamegraph + file(directory, "folded", *export_folded(profile)));
	std::smatch found;

	REQUIRE(std::regex_search(svg, found, std::regex("<title>all \\(([0-9,]+) samples, 100%\\)")));
	return std::stoull(std::regex_replace(found[1].str(), std::regex(","), ""));
}

/** The output of callgrind_annotate, with one space between its columns. */
std::string annotated(const Profile &profile, const std::string &options = "")
{
	const TemporaryDirectory directory;

	return output_of("callgrind_annotate --threshold=100 " + options + ' ' +
			 file(directory, "callgrind.out", *export_callgrind(profile)) + " | tr -s ' '");
}

/** Samples of all stacks that node-stackvis finds in the output of perf script. */
uint64_t read_by_stackvis(const Profile &profile)
{
	const TemporaryDirectory directory;
	const std::string path = file(directory, "perf.txt", *export_perf_script(profile));

	return std::stoull(output_of("$(scripts/build/npm-tools)/.bin/stackvis perf collapsed <" + path +
				     " | awk '{ sum += $NF } END { print sum }'"));
}

/** The cells of a column, one per line, as Python reads them by RFC 4180. */
std::string read_by_python(const Profile &profile, const std::string &column)
{
	const TemporaryDirectory directory;

	return output_of(
		"python3 -c \"import csv, sys\n"
		"for row in csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8'), strict=True):\n"
		"\tassert len(row) == 10 and None not in row.values()\n"
		"\tprint(row['" +
		column + "'])\" " + file(directory, "p.csv", *export_csv(profile)));
}

uint64_t sum_of_lines(const std::string &text)
{
	std::istringstream lines(text);
	uint64_t sum = 0;

	for (std::string line; std::getline(lines, line);)
		sum += std::stoull(line);
	return sum;
}

} // namespace

TEST_CASE("folded stacks begin with the process and the object", "[cli][export]")
{
	CHECK(*export_folded(sample_profile()) == "[unknown];0x7fff12345678 40\n"
						  "libc.so.6;libc.so.6+0x99990 60\n"
						  "libc.so.6;memcpy 200\n"
						  "program-4711;program;main;work(int) 700\n");
	CHECK(*export_folded(stack_profile()) == "tool;main;leaf 7\n"
						 "tool;main;leaf;leaf;leaf 5\n");
}

TEST_CASE("flamegraph.pl draws every sample of folded stacks", "[cli][export]")
{
	CHECK(drawn_by_flamegraph(sample_profile()) == 1000);
	CHECK(drawn_by_flamegraph(hostile_profile()) == 1000);
	CHECK(drawn_by_flamegraph(RealProfile().profile) == RealProfile::total);
}

TEST_CASE("callgrind_annotate finds every sample, and its function and object", "[cli][export]")
{
	const std::string text = annotated(sample_profile());

	CHECK(has(text, "\n1,000 (100.0%) PROGRAM TOTALS\n"));
	CHECK(has(text, "\n700 (70.00%) /src/work.cpp:main\n"));
	CHECK(has(text, "\n200 (20.00%) ???:memcpy [/usr/lib/libc.so.6]\n"));
	CHECK(has(text, "\n 40 ( 4.00%) ???:0x7fff12345678 [???]\n"));
	CHECK(has(annotated(hostile_profile()), "\n1,000 (100.0%) PROGRAM TOTALS\n"));
}

TEST_CASE("callgrind_annotate shows the lines of a program's own source, and of what is inlined",
	  "[cli][export]")
{
	const RealProfile real;
	const std::string text = annotated(real.profile, "--auto=yes");

	CHECK(has(text, "1,135,538 (100.0%) PROGRAM TOTALS"));
	CHECK(has(text, "deep::Worker::run(unsigned long)"));
	CHECK(std::regex_search(text, std::regex("70,000 \\( 6.16%\\) [^\n]*hidden\\(unsigned long\\)")));
	/* A line of mix(), which is inlined into step(), which is inlined into run(). */
	CHECK(std::regex_search(text, std::regex("\n *[0-9,]+ \\( ?[0-9.]+%\\)\\s+value \\^= value << 13;")));
}

TEST_CASE("the calls of stacks are in callgrind's format, recursion counted once", "[cli][export]")
{
	const std::string text = annotated(stack_profile(), "--inclusive=yes");

	CHECK(has(text, "12 (100.0%) PROGRAM TOTALS"));
	CHECK(has(text, "\n12 (100.0%) /src/tool.c:main [/bin/tool]\n"));
	CHECK(has(*export_callgrind(stack_profile()), "\nob=(1)\nfl=(1)\nfn=(2) main\n"
						      "cob=(1)\ncfi=(1)\ncfn=(1)\ncalls=0 0x0 0\n"
						      "0x1010 3 12\n"));
	/* In the stack of the five samples, leaf() calls itself twice from one place. */
	CHECK(has(*export_callgrind(stack_profile()), "0x1108 22 5\n"));
	CHECK_FALSE(has(*export_callgrind(stack_profile()), "0x1108 22 10\n"));
}

TEST_CASE("perf-script lists a record for each sample, as perf prints it", "[cli][export]")
{
	const std::string text = *export_perf_script(sample_profile());

	CHECK(text.starts_with("program  4711/4711      0.000000000:          1 samples: \n"
			       "\t          401110 work(int) (inlined)\n"
			       "\t          401110 main (/opt/bin/program)\n"
			       "\n"
			       "program  4711/4711      0.001001001:          1 samples: \n"));
	CHECK(has(text, "\t           99990 [unknown] (/usr/lib/libc.so.6)\n"));
	CHECK(has(text, "\t    7fff12345678 [unknown] ([unknown])\n"));
}

TEST_CASE("stackvis finds every sample in what perf-script lists", "[cli][export]")
{
	CHECK(read_by_stackvis(sample_profile()) == 1000);
	CHECK(read_by_stackvis(stack_profile()) == 12);
	CHECK(read_by_stackvis(hostile_profile()) == 1000);
	CHECK(read_by_stackvis(RealProfile().profile) == RealProfile::total);
}

TEST_CASE("names that readers of perf script would cut or leave out are changed", "[cli][export]")
{
	Profile profile = sample_profile();

	profile.functions[0].name = "(anonymous namespace)::work()";
	profile.functions[1].name = "program+0x1130";
	profile.samples[0].labels.own()[0].text = "#\na b";
	const std::string text = *export_perf_script(profile);

	profile.functions[0].name = "(anonymous namespace)::f+0x10";
	CHECK(has(*export_perf_script(profile), "401110 ::(anonymous namespace)::f@0x10 (inlined)\n"));
	CHECK(has(text, "401110 ::(anonymous namespace)::work() (inlined)\n"));
	CHECK(has(text, "401110 program@0x1130 (/opt/bin/program)\n"));
	CHECK(text.starts_with("_?a_b  4711/4711 "));
}

TEST_CASE("more samples than can be listed are refused, with a next step", "[cli][export]")
{
	Profile profile = sample_profile();

	profile.samples[0].values[0] = INT64_MAX;
	const Result<std::string> text = export_perf_script(profile);

	REQUIRE_FALSE(text);
	CHECK(has(text.error().text, "use folded"));
	CHECK(has(*export_folded(profile), "main;work(int) 9223372036854775807\n"));
	/* Each sample alone would fit. */
	for (Sample &sample : profile.samples)
		sample.values[0] = 3'000'000;
	CHECK_FALSE(export_perf_script(profile));
}

TEST_CASE("csv has a row for each address and process, most samples first", "[cli][export]")
{
	CHECK(*export_csv(sample_profile()) ==
	      "samples,percent,function,object,build_id,address,file,line,process,pid\r\n"
	      "700,70.0000,main,/opt/bin/program,c0ffee,0x401110,/src/work.cpp,10,program,4711\r\n"
	      "200,20.0000,memcpy,/usr/lib/libc.so.6,,0x30000,,,,\r\n"
	      "60,6.0000,libc.so.6+0x99990,/usr/lib/libc.so.6,,0x99990,,,,\r\n"
	      "40,4.0000,0x7fff12345678,[unknown],,0x7fff12345678,,,,\r\n");
}

TEST_CASE("Python reads every sample of a csv file", "[cli][export]")
{
	CHECK(sum_of_lines(read_by_python(sample_profile(), "samples")) == 1000);
	CHECK(sum_of_lines(read_by_python(hostile_profile(), "samples")) == 1000);
	CHECK(sum_of_lines(read_by_python(RealProfile().profile, "samples")) == RealProfile::total);
}

TEST_CASE("no cell of a csv file is a formula", "[cli][export]")
{
	Profile profile = sample_profile();

	CHECK(has(read_by_python(hostile_profile(), "function"), "'=cmd|' /C calc'!A0\n"));
	for (const std::string name : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
		profile.functions[1].name = name;
		CHECK(read_by_python(profile, "function").starts_with('\'' + name + '\n'));
	}
	/* A character that spreadsheets skip cannot come first either. */
	profile.functions[1].name = "\t=1";
	CHECK(read_by_python(profile, "function").starts_with("?=1\n"));
	profile.functions[1].name = "f<a, \"b\">";
	CHECK(has(*export_csv(profile), ",\"f<a, \"\"b\"\">\","));
}
