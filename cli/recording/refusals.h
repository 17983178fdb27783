// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/refusals.h  Processes that could not be attached, by the reason. */
#pragma once

#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/** Collects what a search met and could not attach, so that a hundred make a line and not a hundred. */
class Refusals {
public:
	/**
	 * A process that is tried again and again is one.
	 * @param searched was it found by a search?  Then, if it has ended since, it is nobody's loss.
	 */
	void add(pid_t pid, const std::string &name, const std::string &why, bool searched = false);
	[[nodiscard]] bool empty() const { return processes_.empty(); }
	/** "12 processes were not attached: why: sshd (pid 4711), ...", one line for each reason. */
	[[nodiscard]] std::vector<std::string> lines() const;

private:
	struct Refused {
		std::set<pid_t> pids;
		std::string first; /**< some of them, by name */
		bool more = false; /**< there were others that are not among pids */
	};

	std::map<std::string, Refused> processes_; /**< by reason */
};

} // namespace cli
