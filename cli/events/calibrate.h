// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/calibrate.h  Periods that give as many samples whatever a CPU does. */
#pragma once

#include "cli/base/fd.h"
#include "cli/events/event.h"

#include <cstdint>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

namespace cli {

/** Samples in a second of CPU time that a period is chosen for. */
inline constexpr double samples_per_second = 2000;

/** The period for an event that comes at a rate; 1 or more, and odd: not in step with what comes in tens. */
uint64_t period_for(double events_per_second);

/**
 * How often the event of a counter came in a second in which it was counted: where more are wanted
 * than there are counters, they take turns.
 * @param counter read(2) gives its count and the times enabled and running, as perf_event_open(2) has
 *        them.
 * @return 0 if it was not counted.
 */
double rate_of_counter(const Fd &counter);

/**
 * How often each event comes in a second of CPU time, where it comes most often.
 *
 * Counts all of them during the same twentieth of a second, or some after the others if that were
 * more than 512 counters.
 *
 * @param pids of processes whose threads are looked at, the first ones; empty: each CPU is.
 * @return nothing for an event that did not come, or may not be counted.
 */
std::vector<std::optional<double>> rates_of(std::span<const Event> events, std::span<const pid_t> pids);

/**
 * Choose the periods of those events of the hardware for which none was given.
 *
 * One that does not come now keeps its period.
 *
 * @param pids as above.
 */
void choose_periods(std::vector<Event> &events, std::span<const pid_t> pids);

} // namespace cli
