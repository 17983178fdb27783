// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file gmon_file.h
 * gmon.out, as gprof(1) reads it.
 *
 * A header, then records: histograms of 16-bit counters over a range of text,
 * and calls.  Of what is in several records gprof makes the sum, so that a count
 * that is too great for one is given in as many as it takes.  All histograms of
 * a file have the same scale.  Addresses are those in the program's file.
 */
#pragma once

#include "libprofil/gmon_calls.h"

#include <cstddef>
#include <cstdint>

namespace libprofil {

/**
 * Counters of a range of text, in memory.
 *
 * A PC counts in counter (pc - first_pc()) >> shift.
 */
struct TextCounters {
	uintptr_t low;	/**< first PC */
	uintptr_t high; /**< first PC above it */
	uintptr_t base; /**< what is added to the addresses in the file */
	void *counters;
	size_t bytes;  /**< of counters */
	uint8_t width; /**< bytes of a counter: 2 or 4 */
	uint8_t shift; /**< at most 16 */

	/** Of the first counter: a multiple of its text in the file, so that those of several ranges fit. */
	[[nodiscard]] uintptr_t first_pc() const { return base + ((low - base) >> shift << shift); }
	/** Counters that the range needs. */
	[[nodiscard]] size_t needed() const { return ((high - 1 - first_pc()) >> shift) + 1; }
};

/** What a file is made of. */
struct Gmon {
	const TextCounters *ranges; /**< of one program or shared object, in ascending order */
	size_t nr_ranges;
	const Calls *calls; /**< of which those within one of the ranges are written; or nullptr */
	uint32_t hz;	    /**< ticks in a second */
};

/** Has anything been counted in these ranges? */
[[nodiscard]] bool has_counts(const Gmon &gmon);

/**
 * Write the file anew: whole, or not at all.
 *
 * It is made beside the one that is there, as PATH.PID.part, which it then
 * replaces; a symbolic link at PATH is not followed.
 * @return 0, or an errno value.
 */
[[nodiscard]] int write_gmon(const char *path, const Gmon &gmon);

} // namespace libprofil
