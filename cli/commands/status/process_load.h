// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/process_load.h  A process's CPU time and context switches. */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>

namespace cli {

/** The resources that a process has used since it was started. */
struct ProcessUsage {
	double cpu_seconds = 0;			 /**< including threads that have ended */
	std::map<pid_t, uint64_t> switches = {}; /**< context switches of each thread, by TID */
};

/** The resources that a process uses in a second. */
struct ProcessLoad {
	double cpus = 0;     /**< CPU seconds: 1 is one CPU that is always busy */
	double switches = 0; /**< context switches */
};

/** Read /proc/PID/stat and /proc/PID/task/TID/status.  @param root used as "/". */
Result<ProcessUsage> process_usage(pid_t pid, const std::string &root = "");

/**
 * The load between two readings.  All switches of a thread that began in between are counted,
 * and none of a thread that ended.
 * @param seconds the time between the readings, above 0.
 */
ProcessLoad load_between(const ProcessUsage &before, const ProcessUsage &after, double seconds);

/** Measure the load during the next second. */
Result<ProcessLoad> measure_load(pid_t pid);

} // namespace cli
