// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/export/json.cpp  JSON for speedscope, checked against its
 * schema, and for the Firefox Profiler, checked against its description. */
#include "tests/support/json.h"
#include "tests/host/cli/commands/export/support.h"

using namespace export_test;
using support::Json;

namespace {

/** The exported file, which must follow speedscope's schema. */
Json speedscope(const Profile &profile)
{
	const TemporaryDirectory directory;
	const std::string text = *export_speedscope(profile);

	output_of("node tests/host/cli/commands/export/speedscope-schema.js \"$(scripts/build/npm-tools)\" " +
		  file(directory, "p.json", text));
	return support::parse_json(text);
}

/** The samples of all profiles in the file, which must refer to existing frames. */
uint64_t samples_in_speedscope(const Json &json)
{
	uint64_t sum = 0;

	for (const Json &profile : json["profiles"]) {
		uint64_t own = 0;

		REQUIRE(profile["samples"].size() == profile["weights"].size());
		for (const Json &weight : profile["weights"])
			own += weight.get<uint64_t>();
		for (const Json &stack : profile["samples"]) {
			REQUIRE_FALSE(stack.empty());
			for (const Json &frame : stack)
				REQUIRE(frame.get<uint64_t>() < json["shared"]["frames"].size());
		}
		REQUIRE(profile["startValue"] == 0);
		REQUIRE(profile["endValue"] == own);
		sum += own;
	}
	return sum;
}

/** Checks that each cell of a column is the index of a row of a table, or @p none. */
void check_references(const Json &column, size_t rows, const Json &none)
{
	for (const Json &cell : column) {
		if (cell == none)
			continue;
		REQUIRE(cell.is_number_unsigned());
		REQUIRE(cell.get<size_t>() < rows);
	}
}

void check_columns(const Json &table)
{
	for (const auto &[name, column] : table.items()) {
		INFO(name);
		if (column.is_array())
			REQUIRE(column.size() == table["length"]);
	}
}

/** Checks a thread against its description in the Firefox Profiler's src/types/profile.ts. */
void check_thread(const Json &thread, const Json &json)
{
	const size_t strings = json["shared"]["stringArray"].size();
	const Json &stacks = thread["stackTable"];

	for (const char *table : {"samples", "markers", "stackTable", "frameTable", "funcTable",
				  "resourceTable", "nativeSymbols"})
		check_columns(thread[table]);
	check_references(thread["samples"]["stack"], stacks["length"], "never");
	check_references(stacks["frame"], thread["frameTable"]["length"], "never");
	for (size_t i = 0; i < stacks["length"]; i++)
		check_references(Json::array({stacks["prefix"][i]}), i, nullptr);
	check_references(thread["frameTable"]["func"], thread["funcTable"]["length"], "never");
	check_references(thread["frameTable"]["category"], json["meta"]["categories"].size(), "never");
	check_references(thread["frameTable"]["nativeSymbol"], 0, nullptr);
	check_references(thread["funcTable"]["name"], strings, "never");
	check_references(thread["funcTable"]["resource"], thread["resourceTable"]["length"], -1);
	check_references(thread["funcTable"]["source"], json["shared"]["sources"]["length"], nullptr);
	check_references(thread["resourceTable"]["lib"], json["libs"].size(), "never");
	check_references(thread["resourceTable"]["name"], strings, "never");
}

/** The samples of all threads of a file, which must be consistent. */
uint64_t samples_in_firefox(const Json &json)
{
	uint64_t sum = 0;

	CHECK(json["meta"]["preprocessedProfileVersion"] == 58);
	CHECK(json["meta"]["categories"][0]["color"] == "grey");
	check_columns(json["shared"]["sources"]);
	check_references(json["shared"]["sources"]["filename"], json["shared"]["stringArray"].size(),
			 "never");
	for (const Json &thread : json["threads"]) {
		const Json &samples = thread["samples"];

		check_thread(thread, json);
		CHECK(thread["pid"].is_string());
		CHECK(samples["weightType"] == "samples");
		REQUIRE(std::is_sorted(samples["time"].begin(), samples["time"].end()));
		for (const Json &weight : samples["weight"])
			sum += weight.get<uint64_t>();
	}
	return sum;
}

Json firefox(const Profile &profile)
{
	return support::parse_json(*export_firefox(profile));
}

} // namespace

TEST_CASE("speedscope's schema holds, with every sample", "[cli][export]")
{
	CHECK(samples_in_speedscope(speedscope(sample_profile())) == 1000);
	CHECK(samples_in_speedscope(speedscope(stack_profile())) == 12);
	CHECK(samples_in_speedscope(speedscope(hostile_profile())) == 1000);
	CHECK(samples_in_speedscope(speedscope(RealProfile().profile)) == RealProfile::total);
}

TEST_CASE("speedscope has a profile for each process, and stacks from the outermost", "[cli][export]")
{
	const Json json = speedscope(sample_profile());
	const Json &frames = json["shared"]["frames"];

	REQUIRE(json["profiles"].size() == 2);
	CHECK(json["profiles"][0]["name"] == "program");
	CHECK(json["profiles"][0]["endValue"] == 300);
	CHECK(json["profiles"][1]["name"] == "program (pid 4711)");

	const Json stack = json["profiles"][1]["samples"][0];

	REQUIRE(stack.size() == 2);
	CHECK(frames[stack[0].get<size_t>()] ==
	      Json({{"name", "main"}, {"file", "/src/main.cpp"}, {"line", 15}}));
	CHECK(frames[stack[1].get<size_t>()]["name"] == "work(int)");
	CHECK(speedscope(stack_profile())["profiles"][0]["samples"] ==
	      support::parse_json("[[0, 1], [0, 1, 1, 1]]"));
}

TEST_CASE("the Firefox Profiler's tables are consistent, with every sample", "[cli][export]")
{
	CHECK(samples_in_firefox(firefox(sample_profile())) == 1000);
	CHECK(samples_in_firefox(firefox(stack_profile())) == 12);
	CHECK(samples_in_firefox(firefox(hostile_profile())) == 1000);
	CHECK(samples_in_firefox(firefox(RealProfile().profile)) == RealProfile::total);
}

TEST_CASE("the Firefox Profiler gets a thread for each process, and libraries", "[cli][export]")
{
	const Json json = firefox(sample_profile());

	REQUIRE(json["threads"].size() == 2);
	REQUIRE(json["libs"].size() == 2);

	const Json &thread = json["threads"][1];
	const size_t leaf = thread["samples"]["stack"][0];
	const size_t frame = thread["stackTable"]["frame"][leaf];
	const size_t function = thread["frameTable"]["func"][frame];

	CHECK(thread["pid"] == "4711");
	CHECK(thread["processName"] == "program");
	CHECK(thread["samples"]["weight"] == support::parse_json("[700]"));
	CHECK(thread["frameTable"]["inlineDepth"] == support::parse_json("[0, 1]"));
	/* 0x401110 in a file whose base address is 0x400000. */
	CHECK(thread["frameTable"]["address"][frame] == 0x1110);
	CHECK(thread["frameTable"]["line"][frame] == 10);
	CHECK(json["shared"]["stringArray"][thread["funcTable"]["name"][function].get<size_t>()] ==
	      "work(int)");
	/* Breakpad takes the first three numbers of a GUID as little-endian. */
	CHECK(json["libs"][0]["breakpadId"] == "00EEFFC0" + std::string(25, '0'));
	CHECK(json["libs"][0]["codeId"] == "c0ffee");
	CHECK(json["libs"][1]["codeId"].is_null());
}

TEST_CASE("processes with the same PID stay apart in the Firefox Profiler", "[cli][export]")
{
	Profile profile = sample_profile();

	profile.samples[1].labels = {{"process", "other", 0, ""}, {"pid", "", 4711, "id"}};

	const Json json = firefox(profile);

	REQUIRE(json["threads"].size() == 3);
	CHECK(json["threads"][1]["pid"] == "4711");
	CHECK(json["threads"][2]["pid"] == "4711.1");
}
