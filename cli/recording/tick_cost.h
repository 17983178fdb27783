// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/tick_cost.h  Measures how long a tick interrupts a program. */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <vector>

namespace cli {

struct TickCost {
	double ns = 0;		    /**< the median of the interruptions */
	uint64_t interruptions = 0; /**< the number of interruptions */
	double rate = 0;	    /**< ticks per second during the measurement */
};

/**
 * Profile this process for a tenth of a second, in a loop that reads the clock and
 * thereby notices interruptions.  The result is the whole cost of a tick: the interrupt,
 * the timer and the module.
 * @param next the period in ns of a profile that will follow, or 0.
 */
Result<TickCost> measure_tick_cost(uint64_t next = 0);

/**
 * The period to measure at, in ns: 1 ms, or the period of a running clock that ticks
 * nearly as often, because a period of 1 ms would make that clock tick twice as often.
 * @param others the period of the running clock, or 0.
 */
uint64_t measuring_period(uint64_t others);

/**
 * The cost of a tick, from interruptions.
 * @param gaps the interruptions, in ns, without the time of the loop itself.
 * @param expected the number of ticks; if the number of gaps is far from it, the gaps have another
 *        cause, and the result is an error.
 */
Result<TickCost> cost_of_gaps(std::vector<uint64_t> gaps, double expected);

/** Spin for @p ns nanoseconds, and return the length of each interruption, in ns. */
std::vector<uint64_t> spin_and_note_gaps(uint64_t ns);

} // namespace cli
