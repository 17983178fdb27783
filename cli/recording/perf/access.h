// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/access.h  perf's permissions for this user, and a sample's cost. */
#pragma once

#include "cli/base/result.h"
#include "cli/recording/tick_cost.h"

#include <linux/perf_event.h>
#include <optional>
#include <string>

namespace cli {

/**
 * True if a container or sandbox, not the kernel itself, refused an event of our own process.
 *
 * The kernel refuses such an event only with EACCES, and only if kernel.perf_event_paranoid is
 * above 2, as on Debian.  A kernel that has this sysctl also has the system call.
 * @param error errno value from perf_event_open(2).
 */
bool is_refused_by_sandbox(int error, std::optional<long> paranoid);

/** Check that this process can sample itself with perf's events; the error says what would help. */
Outcome check_perf();

/** The shortest period of the clock, in ns, from kernel.perf_event_max_sample_rate. */
uint64_t shortest_perf_period();

/**
 * Explain why a process, or the whole system, is not sampled.
 * @param error errno value from perf_event_open(2).
 */
std::string why_not_sampled(int error, const perf_event_attr &event);

/** Explain why perf does not sample the kernel for this user, and what would help. */
std::string why_kernel_is_hidden();

/**
 * The cost of a sample: measure_tick_cost() with a perf event, in a few milliseconds.
 */
Result<TickCost> measure_perf_cost();

} // namespace cli
