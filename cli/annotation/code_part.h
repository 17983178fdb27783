// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/code_part.h  The instructions of a function, with their lines, loops and samples. */
#pragma once

#include "cli/annotation/counts.h"
#include "cli/annotation/object_code.h"
#include "cli/symbols/disassembly.h"

#include <compare>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** A line of a source file; line 0: unknown. */
struct SourceLine {
	std::string file;
	int64_t line = 0;

	auto operator<=>(const SourceLine &) const = default;
};

struct AnnotatedInstruction {
	Instruction code;
	std::string target_name; /**< target of a jump or call: "function", "function+0x12" */
	SourceLine source;	 /**< the line in the innermost inlined function */
	uint64_t samples = 0;
	bool jumped_to = false;		   /**< target of a jump in the same function */
	std::vector<uint64_t> events = {}; /**< as in Counts */
};

/**
 * A loop: from the target of backward jumps to the end of the last of them that can be reached from
 * the target.  If another loop begins inside this one, this one extends at least to the end of the
 * other, so that overlapping loops are always nested.
 */
struct Loop {
	Extent extent;
	uint64_t samples = 0;	/**< those of inner loops included */
	uint64_t innermost = 0; /**< those of inner loops excluded */

	bool operator==(const Loop &) const = default;
};

/** The loops of decoded instructions, the highest Loop::innermost first. */
std::vector<Loop> find_loops(std::span<const AnnotatedInstruction> instructions);

/** A contiguous piece of a function's code: its own, or a copy inlined in another function. */
struct CodePart {
	std::string object;	/**< its path */
	std::string inlined_in; /**< the function in which it is inlined; empty for own code */
	Extent extent;		/**< the extent of the function that contains the code */
	time_t built = 0;	/**< modification time of the object's file, in s since 1970 */
	uint64_t samples = 0;
	std::vector<uint64_t> events; /**< as in Counts */
	std::vector<AnnotatedInstruction> instructions;
	std::vector<Loop> loops; /**< only loops with samples */
};

/**
 * The extent of the function at a link-time address; if no function is known there, a few bytes of
 * text.
 */
std::optional<Extent> extent_at(const ObjectCode &code, uint64_t address);

/** For each instruction: true if an instruction at most @p near positions away has counts. */
std::vector<bool> near_counts(const CodePart &part, size_t near);

/** Decode a function; the caller adds samples and loops. */
CodePart decode_part(const ObjectCode &code, Extent extent);

/** The counts of an instruction, a part or a stray. */
template <typename T> Counts counts_of(const T &one)
{
	return {one.samples, one.events};
}

/** Add to the counts of an instruction, a part or a stray. */
template <typename T> void count(T &one, const Counts &more)
{
	Counts sum = counts_of(one);

	sum.add(more);
	one.samples = sum.samples;
	one.events = std::move(sum.events);
}

/**
 * Add counts to the instruction at an address.
 * @param source the line to use if debug information has none for the instruction.
 * @return false if no instruction begins there; then nothing is counted.
 */
bool count_at(CodePart &part, uint64_t address, const Counts &counts, const SourceLine &source);

} // namespace cli
