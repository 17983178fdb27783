// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/machine_time.h  The idle time of the CPUs. */
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

/** Times since boot. */
struct MachineTime {
	uint64_t wall_ms = 0; /**< elapsed time */
	uint64_t idle_ms = 0; /**< the sum over all CPUs: idle, or waiting for I/O */
};

/**
 * Parse the idle time of all CPUs, in ms, from the text of /proc/stat (proc_stat(5)); nullopt if
 * the text has none.  The other times there are estimates from the scheduler's ticks.
 * @param ticks the file's time units per second.
 */
std::optional<uint64_t> parse_idle_time(std::string_view text, uint64_t ticks);

/** The current times; nullopt if /proc/stat does not have them. */
std::optional<MachineTime> machine_time();

/** The CPU time of all online CPUs between two times, in ms, idle or not. */
uint64_t cpu_ms_between(const MachineTime &begin, const MachineTime &end);

} // namespace cli
