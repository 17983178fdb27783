// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file gmon_ranges.h  The text that an execution profile counts in, and its counters. */
#pragma once

#include "libprofil/gmon_file.h"

#include <climits>
#include <cstddef>
#include <cstdint>

namespace libprofil {

/** Text that the caller has counters for. */
struct OwnCounters {
	uintptr_t low;	/**< first PC */
	uintptr_t high; /**< first PC above it */
	void *counters; /**< 16 bits each */
	size_t bytes;
};

/** Counters for a range, and whose text it is. */
struct GmonRange {
	TextCounters counters;
	char name[NAME_MAX + 1]; /**< of the shared object, or "" */
};

/** Ranges in mappings of their own; all zero, there are none. */
struct GmonRanges {
	GmonRange *range = nullptr;
	size_t nr = 0;
	void *memory = nullptr; /**< of the counters, unless they are the caller's */
	size_t memory_bytes = 0;
};

constexpr uint8_t finest_shift = 2;    /**< four bytes of text a counter */
constexpr uint8_t coarsest_shift = 16; /**< as much as a record of gmon.out has */

/**
 * What is between low and high of one object, all of the program if low is where it
 * begins to run, and all of the other objects; without counters.
 * @return 0, ENOMEM, or EINVAL: there is no text between them.
 */
[[nodiscard]] int choose_ranges(GmonRanges &ranges, uintptr_t low, uintptr_t high);

/**
 * Counters of 32 bits for (1 << shift) bytes of text each, in place of those there
 * are.  A child made by fork begins with zeroes.
 * @return 0, or ENOMEM: there are none then.
 */
[[nodiscard]] int make_counters(GmonRanges &ranges, uint8_t shift);

/**
 * The caller's ranges and counters.
 * @param own in ascending order.
 * @return 0, ENOMEM, or EINVAL: too few counters for the coarsest scale.
 */
[[nodiscard]] int take_ranges(GmonRanges &ranges, const OwnCounters *own, size_t nr);

/** The caller's counters are not to be looked at any more. */
void forget_counters(GmonRanges &ranges);

/** Unmap them.  Nothing may count in them any more. */
void release_ranges(GmonRanges &ranges);

} // namespace libprofil
