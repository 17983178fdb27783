// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/refusals.h  Processes that could not be attached, by reason. */
#pragma once

#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/** Collects processes that could not be attached, so that a hundred of them take only one line. */
class Refusals {
public:
	/**
	 * Add a process; one that is tried repeatedly counts once.
	 * @param searched whether a search found the process; if so, it is ignored if it has ended.
	 */
	void add(pid_t pid, const std::string &name, const std::string &why, bool searched = false);
	[[nodiscard]] bool empty() const { return processes_.empty(); }
	/** "12 processes were not attached: why: sshd (pid 4711), ...", one line for each reason. */
	[[nodiscard]] std::vector<std::string> lines() const;

private:
	struct Refused {
		std::set<pid_t> pids;
		std::string first; /**< the first few, by name */
		bool more = false; /**< there were others that are not in pids */
	};

	std::map<std::string, Refused> processes_; /**< by reason */
};

} // namespace cli
