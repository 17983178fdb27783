// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/significance.h  Tests whether chance explains the difference of two shares. */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cli {

/** Samples of one row in two profiles, and of each whole profile. */
struct Shares {
	uint64_t base = 0;
	uint64_t base_total = 0;
	uint64_t now = 0;
	uint64_t now_total = 0;
};

/**
 * Two-sided p-value of the hypothesis that both shares are the same.
 *
 * Given the row's samples in both profiles together, its samples in one of them
 * have a hypergeometric distribution.  This is Fisher's exact test (R. A. Fisher,
 * Statistical Methods for Research Workers, 1934, section 21.02), with twice the
 * smaller tail (F. Yates, J. R. Statist. Soc. A 147, 1984).  If the standard
 * deviation of that distribution is 100 or more, its normal approximation with the
 * correction for continuity (F. Yates, Suppl. J. R. Statist. Soc. 1, 1934) is used
 * instead.  With more than 10^12 samples, nothing is tested, and the value is 1.
 */
double p_value(const Shares &shares);

/**
 * Correct p-values for the number of rows: S. Holm, Scand. J. Statist. 6, 1979.
 * If rows with a corrected value below 0.01 are marked, the probability of even
 * one wrong mark is at most 1 %, however the rows depend on each other.
 */
std::vector<double> corrected_for_many(std::span<const double> p_values);

} // namespace cli
