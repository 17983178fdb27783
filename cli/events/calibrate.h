// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/calibrate.h  Chooses periods that give about the same sampling rate for every event. */
#pragma once

#include "cli/base/fd.h"
#include "cli/events/event.h"

#include <cstdint>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

namespace cli {

/** The sampling rate at which period_for() aims, per second of CPU time. */
inline constexpr double samples_per_second = 2000;

/** The period for an event that has this rate: at least 1, and odd, so never a multiple of ten. */
uint64_t period_for(double events_per_second);

/**
 * The rate of an event, per second in which its counter was running.  If the CPU has too few
 * counters, perf lets the events take turns, so a counter does not run all the time.
 * @param counter a perf event whose read_format has the count, and the times enabled and running,
 *        as in perf_event_open(2).
 * @return 0 if the event was not counted.
 */
double rate_of_counter(const Fd &counter);

/**
 * The rate of each event, as in rate_of_counter(), on the thread or CPU where it is highest.
 *
 * This counts all events during the same twentieth of a second.  If that takes more than 512
 * counters, it counts several groups of events, one after the other.
 *
 * @param pids the processes; at most 64 of their threads are examined.  If empty, all CPUs are.
 * @return for each event, its rate; nullopt if it did not occur, or may not be counted.
 */
std::vector<std::optional<double>> rates_of(std::span<const Event> events, std::span<const pid_t> pids);

/**
 * Choose a period for each hardware event whose period the user did not give.
 *
 * An event that does not occur now keeps its default period.
 *
 * @param pids as above.
 */
void choose_periods(std::vector<Event> &events, std::span<const pid_t> pids);

} // namespace cli
