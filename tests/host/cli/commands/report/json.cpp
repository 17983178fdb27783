// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/json.cpp  The program's JSON, checked with Python's jsonschema, and
 * reports of several files. */
#include "tests/support/json.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>

using cli_test::has;
using support::run;
using support::TemporaryDirectory;

namespace {

support::Output profil(const std::string &arguments)
{
	return run(support::build_dir() + "/profil " + arguments);
}

std::string file_of(const std::string &path, const cli::Profile &profile)
{
	std::ofstream(path, std::ios::binary) << cli::encode_pprof(profile);
	return path;
}

support::Output validated(const std::string &document)
{
	return run("/usr/bin/python3 -W ignore -m jsonschema -i " + document +
		   " Documentation/report.schema.json");
}

} // namespace

TEST_CASE("JSON follows its schema", "[cli][report]")
{
	const TemporaryDirectory directory;
	const std::string file = file_of(directory / "a", sample_profile());
	const std::string document = directory / "json";
	cli::Profile foreign = sample_profile();

	foreign.comments.clear();
	foreign.samples[0].values[0] = INT64_MAX;
	foreign.samples.push_back({{}, {1, 1}, {}});
	const std::string other = file_of(directory / "b", foreign);

	for (const std::string &arguments :
	     {file, other, file + " " + other, "--base " + other + " " + file,
	      "--sort process,command,line,inlined,function,object,address --limit 2 " + other,
	      "--by address --filter object=libc --filter pid!=3 --percent-limit 5 --base " + other + " " +
		      file}) {
		CAPTURE(arguments);
		CHECK(profil("report --json " + arguments + " >" + document).status == 0);
		const support::Output output = validated(document);

		CHECK(output.text == "");
		CHECK(output.status == 0);
	}
}

TEST_CASE("the schema refuses members that it does not know", "[cli][report]")
{
	const TemporaryDirectory directory;
	const std::string file = file_of(directory / "a", sample_profile());
	nlohmann::json json = support::parse_json(profil("report --json " + file).text);

	json["rows"][0]["colour"] = "red";
	std::ofstream(directory / "json") << json;
	CHECK(validated(directory / "json").status == 1);
}

TEST_CASE("JSON has the keys, the filters, the base and the rows that are not shown", "[cli][report]")
{
	const TemporaryDirectory directory;
	const std::string file = file_of(directory / "a", sample_profile());
	const nlohmann::json json = support::parse_json(
		profil("report --json -s dso,sym --filter object!=unknown --limit 1 --base " + file + " " +
		       file)
			.text);

	CHECK(json["sort"] == nlohmann::json({"object", "function"}));
	CHECK(json["by"] == "object,function");
	CHECK(json["filters"] == nlohmann::json({"object!=unknown"}));
	CHECK(json["samples_filtered_out"] == 40);
	CHECK(json["not_shown"] == nlohmann::json({{"rows", 2}, {"samples", 260}, {"base_samples", 260}}));
	CHECK(json["base"]["file"] == file);
	CHECK(json["base"]["ticks"]["total"] == 1050);
	CHECK(json["rows"][0]["base_samples"] == 700);
	CHECK(json["rows"][0]["significant"] == false);
}

TEST_CASE("several files are added up, however they are given", "[cli][report]")
{
	const TemporaryDirectory directory;
	const std::string a = file_of(directory / "a", sample_profile());
	const std::string b = file_of(directory / "b", sample_profile());

	for (const std::string &arguments : {a + " " + b, "-i " + a + " --input " + b, "-i " + a + " " + b}) {
		const support::Output output = profil("report " + arguments);

		CAPTURE(output.text);
		CHECK(output.status == 0);
		CHECK(has(output.text, a + " and 1 more: 2,000 samples at 999 Hz in 3.00 s\n"));
		CHECK(has(output.text, "  1,400     1.40   70.00   70.00  main "));
		CHECK(has(output.text, "2,100  100.00 %  ticks of the clock\n"));
	}
}

TEST_CASE("an unreadable file among several is named, and nothing is shown", "[cli][report]")
{
	const TemporaryDirectory directory;
	const std::string file = file_of(directory / "a", sample_profile());

	for (const std::string &arguments : {file + " /no/such", "--base /no/such " + file}) {
		const support::Output output = profil("report " + arguments);

		CHECK(output.status == 1);
		CHECK(output.text ==
		      "profil report: /no/such: No such file or directory ('profil record' writes "
		      "such files)\n");
	}
}

TEST_CASE("files with different rates are reported, files without a rate are not", "[cli][report]")
{
	const TemporaryDirectory directory;
	const std::string words = "the files' rates differ";
	cli::Profile other = sample_profile();

	other.period = 0;
	const std::string a = file_of(directory / "a", sample_profile());
	const std::string b = file_of(directory / "b", other);

	CHECK(has(profil("report " + a + " " + b).text, words));
	CHECK_FALSE(has(profil("report " + b + " " + b).text, words));
	CHECK_FALSE(has(profil("report " + b).text, words));
}

TEST_CASE("profiles in different units are not compared", "[cli][report]")
{
	const TemporaryDirectory directory;
	cli::Profile other = sample_profile();

	other.sample_types = {{"cpu", "nanoseconds"}, {"wall", "nanoseconds"}};
	const std::string a = file_of(directory / "a", sample_profile());
	const std::string b = file_of(directory / "b", other);
	const support::Output output = profil("report --base " + a + " " + b);

	CHECK(output.status == 1);
	CHECK(output.text ==
	      "profil report: the profiles have no type of value in common: " + b + ", " + a + "\n");
	CHECK(profil("report --base " + b + " " + b).status == 0);
	CHECK(profil("report --json --base " + b + " " + b + " >" + directory / "json").status == 0);
	CHECK(validated(directory / "json").status == 0);
}

TEST_CASE("report takes colours from --color, and none for a pipe", "[cli][report]")
{
	const TemporaryDirectory directory;
	const std::string file = file_of(directory / "a", sample_profile());

	CHECK(has(profil("report --color always " + file).text, "\x1b["));
	CHECK_FALSE(has(profil("report " + file).text, "\x1b["));
	const std::string on_terminal =
		" script -qc '" + support::build_dir() + "/profil report " + file + "' /dev/null </dev/null";

	CHECK(has(run("NO_COLOR= TERM=xterm" + on_terminal).text, "\x1b[31m"));
	CHECK_FALSE(has(run("NO_COLOR=1 TERM=xterm" + on_terminal).text, "\x1b["));
	CHECK_FALSE(has(run("NO_COLOR= TERM=dumb" + on_terminal).text, "\x1b["));
	CHECK_FALSE(has(run("env -u TERM NO_COLOR=" + on_terminal).text, "\x1b["));
}
