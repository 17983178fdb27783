// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/code_part.h  The instructions of a function, with their lines, loops and samples. */
#pragma once

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

/** A line of a source file; line 0: not known. */
struct SourceLine {
	std::string file;
	int64_t line = 0;

	auto operator<=>(const SourceLine &) const = default;
};

struct AnnotatedInstruction {
	Instruction code;
	std::string target_name; /**< of a jump or call: "function", "function+0x12" */
	SourceLine source;	 /**< of the innermost inlined function */
	uint64_t samples = 0;
	bool shared = false;	/**< the counter of an instruction before it counts this one, too */
	bool jumped_to = false; /**< by a jump of the same function */
};

/** From the target of a backward jump, which the jump can be reached from again, to the end of the last such
 * jump. */
struct Loop {
	Extent extent;
	uint64_t samples = 0;	/**< of all that is in it */
	uint64_t innermost = 0; /**< without those in loops inside it */

	bool operator==(const Loop &) const = default;
};

/** The loops of decoded instructions, most Loop::innermost first. */
std::vector<Loop> find_loops(std::span<const AnnotatedInstruction> instructions);

/** Code of a function that is in one piece; for an inlined one, what holds it there. */
struct CodePart {
	std::string object;	/**< path */
	std::string inlined_in; /**< function; empty: this is its own code */
	Extent extent;		/**< of the function that it is in */
	time_t built = 0;	/**< when the object's file was written: s since 1970 */
	uint64_t samples = 0;
	std::vector<AnnotatedInstruction> instructions;
	std::vector<Loop> loops; /**< those without samples are left out */
};

/**
 * The function at a link-time address, or else the first that begins within the
 * @p size bytes that share its counter: as Symbols::frames() names it.  Where
 * there is text of no known function, a few bytes of it.
 */
std::optional<Extent> extent_near(const ObjectCode &code, uint64_t address, uint64_t size);

/** Decode a function, without samples and loops yet. */
CodePart decode_part(const ObjectCode &code, Extent extent);

/**
 * Count samples of a bucket of text at the first instruction that begins in it.
 * @param source for an instruction whose line debug information does not tell.
 * @return false if none begins there: nothing is counted.
 */
bool count_at(CodePart &part, Extent bucket, uint64_t samples, const SourceLine &source);

} // namespace cli
