// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/selection.h  Selects the processes to profile. */
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/**
 * Selects processes by number, or by name, user and cgroup.
 *
 * Processes given by number are selected once, at the start.  The rest is a
 * search that goes on during the recording: as in pgrep(1), a process matches if
 * it has one of the names, one of the users and one of the cgroups; a list that
 * is empty matches every process.
 */
struct Selection {
	std::vector<pid_t> pids;	  /**< each once */
	bool threads = false;		  /**< pids are thread IDs: profile only those threads */
	std::vector<std::string> names;	  /**< POSIX extended regular expressions, as in pgrep(1) */
	std::vector<uid_t> users;	  /**< effective user IDs */
	std::vector<std::string> cgroups; /**< directories of cgroup2, including everything below them */
	bool everything = false;

	/** True if it includes a search. */
	[[nodiscard]] bool searches() const
	{
		return everything || !names.empty() || !users.empty() || !cgroups.empty();
	}
	/** True if nothing narrows the search. */
	[[nodiscard]] bool only_everything() const
	{
		return everything && names.empty() && users.empty() && cgroups.empty();
	}
	[[nodiscard]] bool empty() const { return pids.empty() && !searches(); }
};

} // namespace cli
