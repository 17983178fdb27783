// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/gmon/ranges.h  The ranges of text of an execution profile, and their counters. */
#pragma once

#include "libprofil/gmon/file.h"

#include <climits>
#include <cstddef>
#include <cstdint>

namespace libprofil {

/** A range of text with the caller's counters. */
struct OwnCounters {
	uintptr_t low;	/**< first PC */
	uintptr_t high; /**< first PC above it */
	void *counters; /**< 16 bits each */
	size_t bytes;
};

/** A range with its counters, and the object it belongs to. */
struct GmonRange {
	TextCounters counters;
	char name[NAME_MAX + 1]; /**< of the shared object, or "" */
};

/** Ranges and counters, in memory from mmap(2).  All zero means no ranges. */
struct GmonRanges {
	GmonRange *range = nullptr;
	size_t nr = 0;
	void *memory = nullptr; /**< the counters' mapping, unless the caller owns them */
	size_t memory_bytes = 0;
};

constexpr uint8_t finest_shift = 2;    /**< four bytes of text per counter */
constexpr uint8_t coarsest_shift = 16; /**< the text of one gmon.out record */

/**
 * Choose the ranges, without counters: every text as a whole, except that the first text with code
 * between low and high is clipped to these.  If low is the program's entry point, the range
 * begins at the start of the program's text instead.
 * @return 0, ENOMEM, or EINVAL: there is no text between low and high.
 */
[[nodiscard]] int choose_ranges(GmonRanges &ranges, uintptr_t low, uintptr_t high);

/**
 * Replace the counters with 32-bit ones, each for (1 << shift) bytes of text.  In a child
 * made by fork they begin at zero.
 * @return 0, or ENOMEM: then there are no counters.
 */
[[nodiscard]] int make_counters(GmonRanges &ranges, uint8_t shift);

/**
 * Use the caller's ranges and counters.
 * @param own in ascending order.
 * @return 0, ENOMEM, or EINVAL: too few counters for the coarsest scale.
 */
[[nodiscard]] int take_ranges(GmonRanges &ranges, const OwnCounters *own, size_t nr);

/** Drop the counters without freeing them: they belong to the caller. */
void forget_counters(GmonRanges &ranges);

/** Unmap ranges and counters.  Nothing may count in them any more. */
void release_ranges(GmonRanges &ranges);

} // namespace libprofil
