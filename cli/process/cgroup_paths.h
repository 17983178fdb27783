// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/cgroup_paths.h  The paths of cgroups, by number. */
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace cli {

/**
 * The paths of cgroups of version 2, as in proc_pid_cgroup(5): "/system.slice/cron.service".
 *
 * A cgroup's number is the inode number of its directory, and never reused.
 */
class CgroupPaths {
public:
	/** @param mount the directory of the root group. */
	explicit CgroupPaths(std::string mount);

	/**
	 * The path of a group; empty if no group has that number.  Scans the directories again
	 * for an unknown number, at most once a second.
	 */
	const std::string &path(uint64_t number);

private:
	std::string mount_;
	std::map<uint64_t, std::string> paths_; /* removed groups, too, as they may have samples */
	std::chrono::steady_clock::time_point next_look_;
};

} // namespace cli
