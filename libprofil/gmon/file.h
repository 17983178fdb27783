// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/gmon/file.h
 * gmon.out, as gprof(1) reads it.
 *
 * A header, then records: histograms of 16-bit counters over a range of text,
 * and calls.  gprof adds up records of the same text, so a count that is too great
 * for one record is spread over several.  All histograms of a file have the same
 * scale.  Addresses are those in the program's file.
 */
#pragma once

#include "libprofil/gmon/calls.h"

#include <cstddef>
#include <cstdint>

namespace libprofil {

/**
 * A range of text and its counters in memory.
 *
 * A PC counts in counter (pc - first_pc()) >> shift.
 */
struct TextCounters {
	uintptr_t low;	/**< first PC */
	uintptr_t high; /**< first PC above it */
	uintptr_t base; /**< load bias: run-time address minus address in the file */
	void *counters;
	size_t bytes;  /**< size of the counters */
	uint8_t width; /**< bytes per counter: 2 or 4 */
	uint8_t shift; /**< at most 16 */

	/** First PC of the first counter, aligned in the file so that the counters of all ranges line up. */
	[[nodiscard]] uintptr_t first_pc() const { return base + ((low - base) >> shift << shift); }
	/** Number of counters that the range needs. */
	[[nodiscard]] size_t needed() const { return ((high - 1 - first_pc()) >> shift) + 1; }
};

/** The contents of a gmon.out file. */
struct Gmon {
	const TextCounters *ranges; /**< of one program or shared object, in ascending order */
	size_t nr_ranges;
	const Calls *calls; /**< only those within the ranges are written; or nullptr */
	uint32_t hz;	    /**< ticks per second */
};

/** True if anything has been counted in these ranges. */
[[nodiscard]] bool has_counts(const Gmon &gmon);

/**
 * Write the file completely, or not at all.
 * @return 0, or an errno value.
 */
[[nodiscard]] int write_gmon(const char *path, const Gmon &gmon);

} // namespace libprofil
