// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/call_stack.h  The functions of a profile's samples, for export to other formats. */
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

/** A function at a location.  The views point into the profile and are as untrusted as it is. */
struct CallFrame {
	std::string function;	 /**< demangled; "object+0x123" without a name; never empty */
	bool named = false;	 /**< the profile has a name for it */
	bool inlined = false;	 /**< inlined in the next frame's function */
	std::string_view object; /**< path, "[vdso]", or "[unknown]" */
	std::string_view file;	 /**< source file, if known */
	int64_t line = 0;	 /**< source line; 0: unknown */
	int64_t start_line = 0;	 /**< first line of the function; 0: unknown */
	uint64_t address = 0;	 /**< as in the object's file */
	std::optional<size_t> mapping;
};

/** The process of a sample, from its labels. */
struct ProcessLabel {
	std::string name; /**< empty: unknown */
	int64_t pid = 0;  /**< 0: unknown */

	auto operator<=>(const ProcessLabel &) const = default;
};

/** The process of a sample.  A negative PID, which other tools may write, counts as unknown. */
ProcessLabel process_label(const Sample &sample);

/** A call stack and the number of its samples. */
struct CountedStack {
	uint64_t samples = 0;
	std::span<const size_t> locations; /**< leaf first; never empty */
	ProcessLabel process;
};

/** The functions at each location of a profile.  The profile must outlive this. */
class CallFrames {
public:
	explicit CallFrames(const Profile &profile);

	/** Innermost inlined function first; the function of the symbol comes last.  Never empty. */
	[[nodiscard]] std::span<const CallFrame> at(size_t location) const { return frames_[location]; }

	/** All functions of a stack, outermost first. */
	[[nodiscard]] std::vector<const CallFrame *> from_outermost(const CountedStack &stack) const;

private:
	std::vector<std::vector<CallFrame>> frames_;
};

/** The stacks that `profil report` counts, in the file's order.  @p profile must outlive them. */
std::vector<CountedStack> counted_stacks(const Profile &profile);

/** The sum, at most UINT64_MAX: other tools can write any count. */
uint64_t add_samples(uint64_t a, uint64_t b);

/** The samples of all stacks. */
uint64_t total_samples(std::span<const CountedStack> stacks);

/** The name for a process that has no label: the program, or "[unknown]". */
std::string_view program_name(const Profile &profile);

} // namespace cli
