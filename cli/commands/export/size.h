// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/export/size.h  Checks that an output is small enough. */
#pragma once

#include "cli/base/result.h"
#include "cli/rows/call_stack.h"

#include <cstdint>
#include <span>

namespace cli {

/** The error for a file that would be larger than export_bytes_max. */
Error too_large_to_export();

/**
 * Check the size of an export before anything is written: in a profile from another tool, a
 * location can have any number of functions, and a stack any number of locations.
 * @param frame_bytes estimates the bytes that the format needs for one function of a stack.
 * @return an error if the stacks together need more than export_bytes_max.
 */
Outcome check_stacks_fit(std::span<const CountedStack> stacks, const CallFrames &frames,
			 uint64_t (*frame_bytes)(const CallFrame &frame));

} // namespace cli
