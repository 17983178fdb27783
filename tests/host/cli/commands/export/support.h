// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/export/support.h  Shared by the tests of profil export:
 * profiles, and files for other tools. */
#pragma once

#include "cli/commands/export/export.h"
#include "cli/symbols/build_profile.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/gmon_reader.h"
#include "tests/support/objects.h"
#include "tests/support/text.h"

#include <fmt/format.h>
#include <fstream>
#include <memory>

namespace export_test {

using namespace cli;
using support::has;
using support::Output;
using support::run;
using support::TemporaryDirectory;

/** Writes a file, and returns its path. */
inline std::string file(const TemporaryDirectory &directory, const std::string &name,
			const std::string &content)
{
	std::ofstream(directory / name, std::ios::binary) << content;
	return directory / name;
}

/** The output of a command, which must succeed. */
inline std::string output_of(const std::string &command)
{
	const Output output = run(command);

	INFO(command << "\n" << output.text);
	REQUIRE(output.status == 0);
	return output.text;
}

/**
 * A profile with stacks, as other tools make them: 7 samples in leaf() called by
 * main(), and 5 in leaf() called by itself.
 */
inline Profile stack_profile()
{
	Profile profile;

	profile.sample_types = {{"samples", "count"}};
	profile.mappings = {{0x1000, 0x2000, 0, "/bin/tool", "", true, true, true, false}};
	profile.functions = {{"main", "main", "/src/tool.c", 1}, {"leaf", "leaf", "/src/tool.c", 20}};
	profile.locations = {{0, 0x1010, {{0, 3}}}, {0, 0x1100, {{1, 21}}}, {0, 0x1108, {{1, 22}}}};
	profile.samples = {{{1, 0}, {7}, {}}, {{1, 2, 2, 0}, {5}, {}}};
	return profile;
}

/** The sample profile, of 1,000 samples, with names that some format would take for syntax. */
inline Profile hostile_profile()
{
	Profile profile = sample_profile();

	profile.functions[0].name = "(anonymous namespace)::a;b,\"c\"<d>\n\x1b[2J 12";
	profile.functions[0].filename = "/src/\xff(1) x\ny";
	profile.functions[0].start_line = INT64_MIN;
	profile.functions[1].name = "=cmd|' /C calc'!A0";
	profile.functions[2].name = "";
	profile.functions[2].system_name = "";
	profile.mappings[1].filename = "/opt/a b;\xc3(c)\n/";
	profile.mappings[0].filename = "";
	profile.locations[0].lines[0].line = INT64_MIN;
	profile.locations[2].address = UINT64_MAX;
	profile.samples[0].labels = {{"process", "# p;\n q 1", 0, ""}, {"pid", "", -5, "id"}};
	profile.samples[1].labels = {{"pid", "", INT64_MAX, "id"}};
	return profile;
}

/** A program compiled from a source of the tests, with counts at addresses of its functions. */
class RealProfile {
public:
	static constexpr uint64_t in_run = 1'000'003;
	static constexpr uint64_t in_hidden = 70'000;
	static constexpr uint64_t in_library = 65'535;
	static constexpr uint64_t total = in_run + in_hidden + in_library;
	static constexpr char run_symbol[] = "_ZN4deep6Worker3runEm";
	static constexpr char hidden_symbol[] = "_ZL6hiddenm";

	RealProfile()
	{
		const char *compiler = getenv("CXX");

		output_of(fmt::format("{0} -O2 -g -o {1} $PWD/tests/host/data/symbols.cpp && "
				      "{0} -O2 -g -shared -fPIC -o {2} $PWD/tests/host/data/symbols.cpp",
				      compiler ? compiler : "g++", program(), library()));

		const auto main_object = cli_test::map_object(program());
		const auto library_object = cli_test::map_object(library());
		const support::Symbol work = support::symbol_of(program(), run_symbol);
		std::vector<std::string> warnings;
		Tally tally;

		/* Every address of the function has samples, so inlined functions have some. */
		for (uint64_t at = work.low; at < work.high; at++)
			tally.add(main_object, {at}, 1);
		tally.add(main_object, {work.low}, in_run - (work.high - work.low));
		tally.add(main_object, {support::symbol_of(program(), hidden_symbol).low + 4}, in_hidden);
		tally.add(library_object, {support::symbol_of(library(), run_symbol).low}, in_library);
		profile = build_profile(tally, {}, main_object.get(), 10'000'000, warnings);
		CHECK(warnings.empty());
	}

	[[nodiscard]] std::string program() const { return directory_ / "program"; }
	[[nodiscard]] std::string library() const { return directory_ / "libwork.so"; }

	Profile profile;

private:
	TemporaryDirectory directory_;
};

} // namespace export_test
