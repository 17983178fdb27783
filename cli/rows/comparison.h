// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/comparison.h  What differs between two flat profiles. */
#pragma once

#include "cli/rows/flat.h"

#include <cstdint>
#include <vector>

namespace cli {

/** p-values below it, corrected for the number of rows, are marked. */
inline constexpr double significant_below = 0.01;

/** The same thing in both profiles, as its columns name it. */
struct ComparedRow {
	Row row;	   /**< of the newer profile, if it is in there */
	uint64_t base = 0; /**< samples in the older one */
	double base_percent = 0;
	double percent = 0;
	double p = 1;		/**< of p_value() */
	double p_corrected = 1; /**< of corrected_for_many() */

	[[nodiscard]] double delta() const { return percent - base_percent; }
	[[nodiscard]] bool significant() const { return p_corrected < significant_below; }
};

/**
 * Compare shares of all samples, so that neither rates nor durations need be
 * the same; the greatest differences come first.
 *
 * Objects are the same if their paths are; one whose path only one profile has
 * is the same as that of its base name in the other, if there is just one such
 * in each.  Of source files the base names count.  What is not a count is not
 * tested: every p-value is 1.
 */
std::vector<ComparedRow> compare(const Flat &base, const Flat &flat);

} // namespace cli
