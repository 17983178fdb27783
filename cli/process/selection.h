// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/selection.h  Which processes are to be profiled. */
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/**
 * Processes by number, and by what they are.
 *
 * Those by number are meant once, as they are now.  The rest is a search, which
 * goes on while a recording lasts: a process is meant if it has one of the
 * names, one of the users and one of the cgroups, as far as any are given, as
 * pgrep(1) has it.
 */
struct Selection {
	std::vector<pid_t> pids;	  /**< each once */
	bool threads = false;		  /**< are these numbers of threads, and only they meant? */
	std::vector<std::string> names;	  /**< POSIX extended regular expressions, as pgrep(1) takes */
	std::vector<uid_t> users;	  /**< effective user IDs */
	std::vector<std::string> cgroups; /**< directories of cgroup2, with all below them */
	bool everything = false;

	/** Is anything to be searched for? */
	[[nodiscard]] bool searches() const
	{
		return everything || !names.empty() || !users.empty() || !cgroups.empty();
	}
	[[nodiscard]] bool empty() const { return pids.empty() && !searches(); }
};

} // namespace cli
