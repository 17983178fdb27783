// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/switch_cost.h  Measures a profile's cost per context switch. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <vector>

namespace cli {

/** The same work without a profile and with one: ns per switch. */
struct SwitchPair {
	double plain = 0;
	double profiled = 0;
};

struct SwitchCost {
	double ns = 0;	   /**< added by a profile: the median of the pairs' differences */
	double low_ns = 0; /**< low_ns to high_ns is the 95 % confidence interval of ns */
	double high_ns = 0;
	double plain_ns = 0; /**< the time of a switch without a profile, including pipes: the median */
	size_t pairs = 0;

	/** The cost to assume: 0 if the difference may be due to chance. */
	[[nodiscard]] double certain_ns() const { return low_ns > 0 ? ns : 0; }
};

/**
 * For half a second, let two threads on one CPU wake each other through pipes, in turn
 * with a profile that hardly ticks and without a profile.  The clock's probe stays
 * registered in between, so both times include the cost of the probe, which all tasks pay.
 */
Result<SwitchCost> measure_switch_cost();

/**
 * The median of the differences, and the interval between the two order
 * statistics at a distance of 0.98 sqrt(n) from the middle (W. J. Conover, Practical
 * Nonparametric Statistics, 3rd ed., 1999, section 3.2).  The interval is valid for
 * any distribution of the noise that the machine's other work causes.
 * @param pairs at least one.
 */
SwitchCost cost_of_pairs(const std::vector<SwitchPair> &pairs);

} // namespace cli
