// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/call_stack.h  The functions of a profile's samples, as other tools' formats want them. */
#pragma once

#include "cli/profile/profile.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** A function at a location.  Views are into the profile, and as untrusted as it is. */
struct CallFrame {
	std::string function;	 /**< demangled; "object+0x123" without a name; never empty */
	bool named = false;	 /**< the profile says the name */
	bool inlined = false;	 /**< in the function that comes after it */
	std::string_view object; /**< path, "[vdso]", or "[unknown]" */
	std::string_view file;	 /**< source, where it is known */
	int64_t line = 0;	 /**< of the source; 0: not known */
	int64_t start_line = 0;	 /**< where the function begins; 0: not known */
	uint64_t address = 0;	 /**< as in the object's file */
	std::optional<size_t> mapping;
};

/** Which process a sample was taken of, as far as its labels say so. */
struct ProcessLabel {
	std::string name; /**< empty: not known */
	int64_t pid = 0;  /**< 0: not known */

	auto operator<=>(const ProcessLabel &) const = default;
};

/** A stack that was seen so many times. */
struct CountedStack {
	uint64_t samples = 0;
	std::span<const size_t> locations; /**< leaf first; never empty */
	ProcessLabel process;
};

/** The functions at each location of a profile, which must outlive this. */
class CallFrames {
public:
	explicit CallFrames(const Profile &profile);

	/** Innermost inlined function first; the one that has the symbol is the last.  Never empty. */
	[[nodiscard]] std::span<const CallFrame> at(size_t location) const { return frames_[location]; }

	/** All functions of a stack, outermost first. */
	[[nodiscard]] std::vector<const CallFrame *> from_outermost(const CountedStack &stack) const;

private:
	std::vector<std::vector<CallFrame>> frames_;
};

/** All of a profile, which must outlive this: those that `profil report` counts, in the file's order. */
std::vector<CountedStack> counted_stacks(const Profile &profile);

/** The sum, UINT64_MAX if it is greater: counts in foreign files can be anything. */
uint64_t add_samples(uint64_t a, uint64_t b);

/** Samples of all stacks. */
uint64_t total_samples(std::span<const CountedStack> stacks);

/** What to call a process of which nothing is known: the program, or "[unknown]". */
std::string_view program_name(const Profile &profile);

} // namespace cli
