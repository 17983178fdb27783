// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/comparison.h  Compares two flat profiles. */
#pragma once

#include "cli/rows/flat.h"

#include <cstdint>
#include <vector>

namespace cli {

/** Rows are marked if their p-value, corrected for the number of rows, is below this. */
inline constexpr double significant_below = 0.01;

/** A row of both profiles. */
struct ComparedRow {
	Row row; /**< of the newer profile, if it has one, else of the older; samples in the newer */
	uint64_t base = 0; /**< samples in the older profile */
	double base_percent = 0;
	double percent = 0;
	double p = 1;		/**< from p_value() */
	double p_corrected = 1; /**< from corrected_for_many() */

	[[nodiscard]] double delta() const { return percent - base_percent; }
	[[nodiscard]] bool significant() const { return p_corrected < significant_below; }
};

/**
 * Compare each row's share of all samples; the greatest differences come first.
 * The rates and durations of the two profiles may differ.
 *
 * Objects match if they have the same path.  An object whose path is in only one
 * profile matches the object with the same base name in the other, if there is
 * exactly one such object in each.  Source files match by base name.  If the
 * values are not counts, nothing is tested and every p-value is 1.
 *
 * The texts of the rows are those of the two profiles.
 */
std::vector<ComparedRow> compare(const Flat &base, const Flat &flat);

} // namespace cli
