// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/tick_cost.h  What a tick takes from the program that it interrupts. */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <vector>

namespace cli {

struct TickCost {
	double ns = 0;		    /**< the median of the interruptions */
	uint64_t interruptions = 0; /**< that it is the median of */
	double rate = 0;	    /**< ticks a second meanwhile */
};

/**
 * Profile ourselves for a tenth of a second, in a loop that looks at the clock
 * and so sees how long it is kept from that.  It is all that a tick costs: the
 * interrupt, the timer and the module.
 * @param next the period in ns of a profile that is to follow, or 0.
 */
Result<TickCost> measure_tick_cost(uint64_t next = 0);

/**
 * The period to measure at, in ns: 1 ms, or that of a clock that ticks nearly
 * as often, which would be made to tick twice as often for us otherwise.
 * @param others its period, or 0.
 */
uint64_t measuring_period(uint64_t others);

/**
 * The cost by interruptions.
 * @param gaps in ns, of all interruptions longer than the loop itself takes.
 * @param expected ticks meanwhile: an error if the gaps are far from so many,
 *        as they are something else's then.
 */
Result<TickCost> cost_of_gaps(std::vector<uint64_t> gaps, double expected);

/** Spin for so many ns, and note each time that it took longer than usual. */
std::vector<uint64_t> spin_and_note_gaps(uint64_t ns);

} // namespace cli
