// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/annotation/support.h  A real program, its instructions as objdump lists
 * them, and its profiles. */
#pragma once

#include "cli/annotation/text.h"
#include "cli/base/saturate.h"
#include "cli/objects/object.h"
#include "cli/profile/about.h"
#include "cli/symbols/build_profile.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sstream>

namespace annotate_test {

using support::has;

struct Listed {
	uint64_t address = 0;
	std::string text;
};

inline std::string source()
{
	return std::filesystem::absolute("tests/host/data/annotate.cpp");
}

/** Compiles the program as "program" in a directory. */
inline std::string compile(const support::TemporaryDirectory &directory, const std::string &flags = "-O1 -g")
{
	const char *compiler = getenv("CXX");
	const std::string program = directory / "program";
	const support::Output output = support::run(
		fmt::format("{} -o {} {} {}", compiler ? compiler : "g++", program, source(), flags));

	INFO(output.text);
	REQUIRE(output.status == 0);
	return program;
}

/** The instructions of a function (by its symbol), as objdump -d prints them. */
inline std::vector<Listed> objdump(const std::string &program, const std::string &symbol)
{
	std::istringstream lines(support::run(fmt::format("objdump -d --no-show-raw-insn --disassemble={} {}",
							  symbol, program))
					 .text);
	std::vector<Listed> listed;

	for (std::string line; std::getline(lines, line);) {
		const size_t colon = line.find(":\t");

		if (colon != line.npos)
			listed.push_back(
				{std::stoull(line.substr(0, colon), nullptr, 16), line.substr(colon + 2)});
	}
	REQUIRE_FALSE(listed.empty());
	return listed;
}

/** A function's backward jumps, from objdump: the addresses of each target and jump. */
inline std::vector<std::pair<uint64_t, uint64_t>> back_edges(const std::vector<Listed> &listed)
{
	std::vector<std::pair<uint64_t, uint64_t>> edges;

	for (const Listed &one : listed) {
		std::istringstream words(one.text);
		std::string mnemonic;
		uint64_t target = 0;

		if (one.text[0] == 'j' && words >> mnemonic >> std::hex >> target && target <= one.address)
			edges.emplace_back(target, one.address);
	}
	return edges;
}

/** A profile of a program, as record writes it. */
inline cli::Profile profile_of(const std::string &program, const std::map<uint64_t, uint64_t> &counts)
{
	const auto object = cli_test::map_object(program);
	std::vector<std::string> warnings;
	cli::Tally tally;

	for (const auto &[address, samples] : counts)
		tally.add(object, {address}, samples);
	return cli::build_profile(tally, {}, object.get(), 1000, warnings);
}

/** The only function of that name. */
inline cli::FunctionSamples function(const cli::Profile &profile, const std::string &name)
{
	const cli::Result<std::vector<cli::FunctionSamples>> chosen =
		cli::choose_functions(cli::functions_of(profile), name);

	INFO((chosen ? "" : chosen.error().text));
	REQUIRE(chosen);
	REQUIRE(chosen->size() == 1);
	return chosen->front();
}

inline cli::Annotation annotate(const cli::Profile &profile, const std::string &name,
				const cli::CodeOptions &options = {})
{
	return cli::Annotator(profile, options).annotate(function(profile, name), true);
}

/** The samples at each address, in all parts. */
inline std::map<uint64_t, uint64_t> counts_of(const cli::Annotation &annotation)
{
	std::map<uint64_t, uint64_t> counts;

	for (const cli::CodePart &part : annotation.parts) {
		for (const cli::AnnotatedInstruction &one : part.instructions) {
			if (one.samples)
				counts[one.code.address] =
					cli::saturating_add(counts[one.code.address], one.samples);
		}
	}
	return counts;
}

inline uint64_t stray_samples(const cli::Annotation &annotation)
{
	uint64_t sum = 0;

	for (const cli::StraySamples &stray : annotation.strays)
		sum = cli::saturating_add(sum, stray.samples);
	return sum;
}

inline std::string text_of(const cli::Annotation &annotation, const cli::AnnotationStyle &style = {})
{
	cli::SourceFiles sources;

	return cli::annotation_text(annotation, sources, style);
}

/** The 0-based number of the line in which @p part starts. */
inline size_t line_of(const std::string &text, const std::string &part)
{
	INFO(text);
	REQUIRE(has(text, part));
	return static_cast<size_t>(
		std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(text.find(part)), '\n'));
}

} // namespace annotate_test
