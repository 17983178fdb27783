// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/html.cpp  The HTML page of profil report --html: its
 * document, its limits, and names that would be markup. */
#include "cli/commands/report/page/names.h"
#include "cli/commands/report/page/page.h"
#include "cli/commands/report/page/template.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/commands/export/support.h"
#include "tests/host/cli/commands/report/html_support.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/support/json.h"

#include <numeric>

using namespace export_test;
using cli_test::report_of;
using html_test::many_functions;
using nlohmann::json;

namespace {

/** A page's document, with its compressed strings expanded. */
json parsed(const std::string &text)
{
	json all = support::parse_json(text);
	std::string last;

	CHECK(all["shared"].size() == all["strings"].size());
	for (size_t i = 0; i < all["strings"].size(); i++) {
		last = last.substr(0, all["shared"][i].get<size_t>()) + all["strings"][i].get<std::string>();
		all["strings"][i] = last;
	}
	return all;
}

json document(const Profile &profile, const std::vector<std::string> &filters = {},
	      const std::string &keys = "function", const HtmlLimits &limits = {},
	      const ReportStyle &style = {})
{
	return parsed(report_html_data(report_of(profile, keys, style, filters), {}, limits));
}

std::string between(const std::string &text, const std::string &from, const std::string &to)
{
	const size_t start = text.find(from);

	REQUIRE(start != text.npos);

	const size_t end = text.find(to, start + from.size());

	REQUIRE(end != text.npos);
	return text.substr(start + from.size(), end - start - from.size());
}

/** The document in the page, as a browser finds it. */
json document_in(const std::string &page)
{
	return parsed(between(page, "<script type=\"application/json\" id=\"data\">", "</script>"));
}

size_t times(const std::string &text, const std::string &part)
{
	size_t count = 0;

	for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
		count++;
	return count;
}

uint64_t count_of(const json &count)
{
	return count.is_string() ? std::stoull(count.get<std::string>()) : count.get<uint64_t>();
}

uint64_t sum_of(const json &counts)
{
	return std::accumulate(counts.begin(), counts.end(), uint64_t{0},
			       [](uint64_t sum, const json &count) { return sum + count_of(count); });
}

/** Sums of the samples of a table's rows, by the value of @p column. */
std::map<size_t, uint64_t> sums_by(const json &table, const char *column)
{
	std::map<size_t, uint64_t> sums;

	for (size_t i = 0; i < table["samples"].size(); i++)
		sums[table[column][i]] += count_of(table["samples"][i]);
	return sums;
}

void check_maps(const json &all)
{
	for (size_t i = 0; i < all["maps"].size(); i++) {
		uint64_t sum = 0;

		for (const json &cell : all["maps"][i]["cells"])
			sum += count_of(cell[1]);
		CHECK(sum == count_of(all["objects"]["samples"][i]));
		CHECK(all["maps"][i]["cells"].back()[0] < HtmlLimits().cells);
	}
}

/** Checks the sums of each annotated function, by line and by instruction. */
void check_sources(const json &all)
{
	for (const json &one : all["sources"]) {
		uint64_t by_line = count_of(one["of_no_line"]);
		uint64_t by_address = 0;

		for (const json &file : one["files"]) {
			for (const json &line : file["lines"])
				by_line += count_of(line[1]);
			by_line += count_of(file["rest"][1]);
		}
		for (const json &part : one["parts"]) {
			for (const json &row : part["instructions"])
				by_address += row[1] == "\"" ? 0 : count_of(row[1]);
		}
		for (const json &stray : one["strays"])
			by_address += count_of(stray[1]);

		const uint64_t samples = count_of(all["functions"]["samples"][one["function"].get<size_t>()]);

		CHECK(by_line == samples);
		CHECK(by_address == samples);
	}
}

/** Checks that each part of a page counts every sample once, if no limit cuts it short. */
void check_sums(const Profile &profile, uint64_t samples, const std::vector<std::string> &filters = {})
{
	const json all = document(profile, filters);
	const json &functions = all["functions"];
	const json &objects = all["objects"];

	CHECK(sum_of(all["table"]["samples"]) == samples);
	CHECK(sum_of(functions["samples"]) == samples);
	CHECK(sum_of(objects["samples"]) == samples);
	CHECK(count_of(all["samples"]) == samples + count_of(all["filtered_out"]));
	for (const auto &[object, sum] : sums_by(functions, "object"))
		CHECK(sum == count_of(objects["samples"][object]));
	for (const auto &[function, sum] : sums_by(all["lines"], "function"))
		CHECK(sum <= count_of(functions["samples"][function]));
	check_maps(all);
	check_sources(all);
}

bool has_note(const json &all, const std::string &note)
{
	return std::find(all["notes"].begin(), all["notes"].end(), note) != all["notes"].end();
}

/** The SHA-256 of a text in the form of a Content-Security-Policy, by openssl. */
std::string hash_of(const std::string &text)
{
	const TemporaryDirectory directory;

	return output_of("openssl dgst -sha256 -binary " + file(directory, "text", text) +
			 " | base64 | tr -d '\\n'");
}

support::Output profil(const std::string &arguments)
{
	return run(support::build_dir() + "/profil report " + arguments);
}

} // namespace

TEST_CASE("a page has its report, and runs only the scripts that its policy names", "[cli][html]")
{
	const std::string page = report_html(report_of(sample_profile(), "function"), {});
	const std::string policy = between(page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");

	CHECK(page.starts_with("<!doctype html>\n"));
	CHECK(page.ends_with("</html>\n"));
	CHECK(policy ==
	      fmt::format("default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri "
			  "'none'; form-action 'none'",
			  hash_of(between(page, "<script>", "</script>")),
			  hash_of(between(page, "<style>", "</style>"))));
	CHECK(document_in(page) == document(sample_profile()));
	for (const char *fetched : {"http:", "https:", "src=", "href=", "url(", "@import", "innerHTML"})
		CHECK(times(page, fetched) == 0);
}

TEST_CASE("a page's document has the report's rows, with their objects and functions", "[cli][html]")
{
	const json all = document(sample_profile());
	const json &strings = all["strings"];
	const auto text = [&](const json &index) { return strings[index.get<size_t>()]; };

	CHECK(all["title"] == "test.pb.gz: 1,000 samples at 999 Hz in 1.50 s");
	CHECK(all["facts"][1] == json({"begun", "2026-09-21 14:13:20 UTC"}));
	CHECK(all["facts"][5] == json({"lost", "5 of 1,050 ticks (0.48 %)"}));
	CHECK(all["table"]["samples"] == json({700, 200, 60, 40}));
	CHECK(all["table"]["function"] == json({0, 1, 2, 3}));
	CHECK(text(all["table"]["columns"][0]["cells"][2]) == "libc.so.6+0x99990");
	CHECK(text(all["objects"]["path"][1]) == "/usr/lib/libc.so.6");
	CHECK(all["objects"]["samples"] == json({700, 260, 40}));
	CHECK(all["lines"]["line"] == json({10}));
	CHECK(text(all["lines"]["file"][0]) == "/src/work.cpp");
	CHECK(all["maps"][1] ==
	      support::parse_json(
		      R"({"start": "0x30000", "shift": 8, "cells": [[0, 200, 1], [1689, 60, 2]]})"));
	CHECK(all["accounting"][3] == "    5    0.48 %  lost: the clock was late");
	CHECK(all["notes"].empty());
}

TEST_CASE("every sample is once in each part of a page", "[cli][html]")
{
	check_sums(sample_profile(), 1000);
	check_sums(stack_profile(), 12);
	check_sums(hostile_profile(), 1000);
	check_sums(many_functions(), sum_of(document(many_functions())["table"]["samples"]));
	check_sums(RealProfile().profile, RealProfile::total);
	check_sums(sample_profile(), 260, {"object=libc"});
}

TEST_CASE("counts and their sums keep their last digit", "[cli][html]")
{
	Profile profile = sample_profile();

	profile.samples[0].values[0] = INT64_MAX;

	const json all = document(profile);

	CHECK(all["table"]["samples"] == json({"9223372036854775807", 200, 60, 40}));
	CHECK(all["samples"] == "9223372036854776107");
}

TEST_CASE("a page with a filter has only what passes it, and says so", "[cli][html]")
{
	const RealProfile real;
	const json all = document(real.profile, {"object=libwork"});

	CHECK(all["filtered_out"] == RealProfile::in_run + RealProfile::in_hidden);
	CHECK(all["objects"]["samples"] == json({RealProfile::in_library}));
	CHECK(all["sources"].size() == 1);
	CHECK(all["notes"][0] == "1,070,003 samples (94.23 %) left out by --filter object=libwork");
	CHECK(all["facts"].back() == json({"filter", "object=libwork"}));
}

TEST_CASE("a page's table has the rows of --sort, with the function of each", "[cli][html]")
{
	const json all = document(sample_profile(), {}, "process,line");
	const json &columns = all["table"]["columns"];

	CHECK(columns.size() == 4);
	CHECK(columns[0]["title"] == "process");
	CHECK(columns[1]["title"] == "line");
	CHECK(all["strings"][columns[0]["cells"][0].get<size_t>()] == "program (pid 4711)");
	CHECK(document(sample_profile(), {}, "object")["table"]["function"] == json({-1, -1, -1}));
}

TEST_CASE("a page counts what its limits leave out", "[cli][html]")
{
	const Profile profile = sample_profile();

	CHECK(has_note(document(profile, {}, "function", {}, {0, 1}),
		       "... and 3 more rows, of 300 samples (30.00 %)"));
	CHECK(document(profile, {}, "function", {.rows = 1})["notes"] ==
	      json({"... and 3 more rows, of 300 samples (30.00 %)",
		    "not in the chart: 3 functions, of 300 samples (30.00 %)",
		    "not in the chart: the lines of 3 functions, of 300 samples (30.00 %)"}));
	CHECK(document(profile, {}, "function", {.objects = 2})["notes"] ==
	      json({"not in the chart: 1 object, of 40 samples (4.00 %)",
		    "not in the chart: 1 function, of 40 samples (4.00 %)",
		    "not in the chart: the lines of 1 function, of 40 samples (4.00 %)",
		    "not in the address maps: 1 object, of 40 samples (4.00 %)"}));
	CHECK(has_note(document(profile, {}, "function", {.lines = 0}),
		       "not in the chart: the lines of 4 functions, of 1,000 samples (100.00 %)"));
	CHECK(has_note(
		document(profile, {}, "function", {.annotated = 1}),
		"annotated: the hottest 1 of 4 functions, with 700 samples (70.00 %); at most 1,000 lines "
		"and 1,000 instructions of each"));
	CHECK(has_note(document(profile, {}, "function", {.mapped = 1}),
		       "not in the address maps: 2 objects, of 300 samples (30.00 %)"));
	CHECK(has_note(document(profile, {}, "function", {.name_columns = 10}),
		       "cut, and marked …: 5 names of more than 10 characters"));
	CHECK(document(profile, {}, "function", {.name_bytes = 10})["table"]["samples"] == json({700}));
}

TEST_CASE("a page has the hot parts of a long function, and counts the rest", "[cli][html]")
{
	const json all = document(RealProfile().profile, {}, "function", {.listed = 3});

	check_sources(all);
	for (const json &one : all["sources"]) {
		size_t rows = 0;

		for (const json &part : one["parts"])
			rows += static_cast<size_t>(
				std::count_if(part["instructions"].begin(), part["instructions"].end(),
					      [](const json &row) { return row.size() == 5; }));
		CHECK(rows <= 3);
	}
	CHECK(all["sources"][0]["files"][0]["lines"].size() == 3);
	CHECK(all["sources"][0]["files"][0]["rest"][0] > 0);
}

TEST_CASE("a page has the source of the hottest functions, unless source is off", "[cli][html]")
{
	const RealProfile real;
	const Report report = report_of(real.profile, "function");
	const std::string with = report_html_data(report, {});
	const std::string without = report_html_data(report, {.source = false});
	const std::string line = "if (total_ % 1000003 == 0)";

	CHECK(support::parse_json(with)["sources"][0]["parts"][0]["instructions"].size() > 5);
	CHECK(times(with, line) == 2);
	CHECK(times(without, line) == 0);
	CHECK(support::parse_json(without)["sources"][0]["files"][0]["samples"] ==
	      support::parse_json(with)["sources"][0]["files"][0]["samples"]);
}

TEST_CASE("texts of a page share what they begin with, but no part of a character", "[cli][html]")
{
	HtmlNames names(100);

	for (const char *const name :
	     {"engine::start", "engine::stop", "engine::st\u00e9", "engine::st\u00e8"})
		names.number(name);
	CHECK(names.shared() == std::vector<size_t>{0, 10, 10, 10});
	CHECK(names.rests() == std::vector<std::string>{"engine::start", "op", "\u00e9", "\u00e8"});
}

TEST_CASE("names cannot end the script that they are in, and are only text", "[cli][html]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "</script><script>alert(1)</script><!--";
	profile.functions[2].name = "a\u2028b\u202ec\x1b[2J\xff\"\\";
	profile.mappings[0].filename = "/opt/</SCRIPT >";
	profile.comments = {"profil.target: other (pid 1)"};
	profile.samples[0].labels = {{"process", "<!--<script>", 0, ""}};

	const std::string page = report_html(report_of(profile, "function"), {});
	const json all = document_in(page);

	CHECK(times(page, "</script") == 2);
	CHECK(times(page, "</SCRIPT") == 0);
	CHECK(times(page, "<script") == 2);
	CHECK(times(page, "<!--") == 1);
	CHECK(all["strings"][0] == "</script><script>alert(1)</script><!--");
	CHECK(all["strings"][2] == "a\u2028b?c?[2J?\"\\");
	CHECK(all["facts"][0] == json({"of", "<!--<script>"}));
}

TEST_CASE("a page of 50,000 functions is small enough for a browser to open at once", "[cli][html]")
{
	const std::string page = report_html(report_of(many_functions(), "function"), {});
	const json all = document_in(page);

	CHECK(all["table"]["samples"].size() == 50'000);
	CHECK(all["lines"]["functions"] == 50'000);
	CHECK(page.size() < 10'000'000);
}

TEST_CASE("profil report --html writes a page, or says why not", "[cli][html]")
{
	const TemporaryDirectory directory;
	const std::string path = file(directory, "sample.pb.gz", encode_pprof(sample_profile()));
	const std::string page = directory / "page.html";

	CHECK(profil("--html " + page + " " + path).text == "");
	CHECK(document_in(output_of("cat " + page))["samples"] == 1000);
	CHECK(document_in(profil("--html - " + path + " | cat").text)["samples"] == 1000);
	for (const char *option : {"--source-dir /no ", "--path-prefix /a=/b "})
		CHECK(document_in(profil(std::string("--html - ") + option + path).text)["samples"] == 1000);
	CHECK(profil("--html " + (directory / "no/page.html") + " " + path).text ==
	      fmt::format("profil report: {}: No such file or directory (choose another file with --html)\n",
			  directory / "no/page.html"));

	const Output failed = profil("--html " + page + " /no/such");

	CHECK(failed.status == 1);
	CHECK(failed.text ==
	      "profil report: /no/such: No such file or directory ('profil record' writes such files)\n");
	CHECK(document_in(output_of("cat " + page))["samples"] == 1000);
}

TEST_CASE("a page of a comparison has what its objects, functions and rows were in the base", "[cli][html]")
{
	Profile base = sample_profile();

	base.samples[0].values[0] = 400;
	base.samples[1].values[0] = 475;
	const json all = support::parse_json(
		report_html_data(cli_test::comparison_of(base, sample_profile(), "function"), {}));

	CHECK(all["base"]["samples"] == 975);
	CHECK(all["base"]["files"] == "old.pb.gz");
	CHECK(all["objects"]["base"] == json({400, 535, 40}));
	CHECK(all["objects"]["sure"] == json({1, 1, 0}));
	CHECK(all["functions"]["base"] == json({400, 475, 60, 40}));
	CHECK(all["functions"]["sure"] == json({1, 1, 0, 0}));
	CHECK(sum_of(all["table"]["base"]) == 975);
	CHECK(sum_of(all["table"]["samples"]) == 1000);
	CHECK(all["table"]["sure"] == json({1, 1, 0, 0}));
	CHECK_FALSE(document(sample_profile()).contains("base"));
}

TEST_CASE("options that --html cannot be combined with are refused", "[cli][html]")
{
	const std::map<std::string, std::string> wrong = {
		{"--html x --json", "give either --html or --json, not both"},
		{"--html x --color always", "--color is for the table, not for --html"},
		{"--source-dir x", "--source-dir needs --html"},
		{"--path-prefix a=b", "--path-prefix needs --html"},
		{"--no-source", "--no-source needs --html"},
	};

	for (const auto &[arguments, problem] : wrong) {
		const Output output = profil(arguments);

		CHECK(output.status == 2);
		CHECK(output.text == fmt::format("profil report: {} (see profil report --help)\n", problem));
	}
}
