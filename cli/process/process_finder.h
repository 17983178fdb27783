// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/process_finder.h  Searches /proc for the processes of a selection. */
#pragma once

#include "cli/base/pattern.h"
#include "cli/base/result.h"
#include "cli/process/selection.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cli {

/**
 * Finds the processes that a selection searches for, those that appear later, too.
 *
 * Kernel threads, zombies and ourselves are never meant.  A process is looked
 * at again while it may still become what is searched for, which takes an exec
 * or a change of user: less and less often, at last every 64th time, so that a
 * search of thousands of processes every second costs next to nothing.  Who
 * enters a cgroup is found the next time.
 */
class ProcessFinder {
public:
	/** @return the error names the expression, or the cgroup, that is none. */
	static Result<ProcessFinder> create(const Selection &selection);

	/** Those that match now and were not found before, ascending. */
	std::vector<pid_t> find();
	/** It was not attached: it is found again, less and less often. */
	void put_back(pid_t pid);

private:
	/** A process that has not matched so far, by the number of searches. */
	struct Other {
		unsigned age = 0;
		unsigned next = 1;
	};

	ProcessFinder() = default;
	[[nodiscard]] std::set<pid_t> members() const;
	[[nodiscard]] bool matches(pid_t pid) const;

	std::vector<Pattern> names_;
	std::set<uid_t> users_;
	std::vector<std::string> cgroups_;
	std::set<pid_t> found_;
	std::map<pid_t, Other> others_;
};

/** Where cgroup2 is mounted. */
constexpr std::string_view cgroup_mount = "/sys/fs/cgroup";

/** The user ID of a name or of a number. */
Result<uid_t> user_id(const std::string &user);

/**
 * The directory of a cgroup: @p path itself if that is below cgroup_mount, or
 * what is there below it, as systemd-cgls(1) shows it.
 */
Result<std::string> cgroup_directory(const std::string &path);

} // namespace cli
