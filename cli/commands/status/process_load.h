// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/process_load.h  What a process does that makes a profile of it cost something.
 */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>

namespace cli {

/** What a process has used since it was started. */
struct ProcessUsage {
	double cpu_seconds = 0;			 /**< of all its threads, those that have ended too */
	std::map<pid_t, uint64_t> switches = {}; /**< of the threads that there are, from them to others */
};

/** What a process uses in a second. */
struct ProcessLoad {
	double cpus = 0;     /**< CPU seconds: 1 is one CPU, all the time */
	double switches = 0; /**< context switches */
};

/** As /proc/PID/stat and /proc/PID/task/TID/status have it.  @param root what stands for "/". */
Result<ProcessUsage> process_usage(pid_t pid, const std::string &root = "");

/**
 * What has come between two readings.
 * A thread that began meanwhile counts whole, one that has ended not at all.
 * @param seconds between them, above 0.
 */
ProcessLoad load_between(const ProcessUsage &before, const ProcessUsage &after, double seconds);

/** That of a whole second, from now on. */
Result<ProcessLoad> measure_load(pid_t pid);

} // namespace cli
