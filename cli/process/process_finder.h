// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/process_finder.h  Searches /proc for the processes of a selection. */
#pragma once

#include "cli/base/result.h"
#include "cli/process/criteria.h"
#include "cli/process/selection.h"

#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace cli {

/**
 * Finds the processes that match a selection, including those that appear later.
 *
 * Kernel threads, zombies and this process never match.  A process that does not
 * match now may do so after an exec or a change of user, so it is checked again:
 * less and less often, finally in every 64th search, so that searching thousands
 * of processes every second costs almost nothing.  A process that enters a
 * cgroup is found by the next search.
 */
class ProcessFinder {
public:
	/** @return a finder, or an error that names the invalid expression or the missing cgroup. */
	static Result<ProcessFinder> create(const Selection &selection);

	/** The processes that match now and were not found before, in ascending order. */
	std::vector<pid_t> find();
	/** @p pid could not be attached: let find() return it again, less and less often. */
	void put_back(pid_t pid);

private:
	/**
	 * A process that has not matched so far.  @c age counts searches; the next check is at age
	 * @c next.
	 */
	struct Other {
		unsigned age = 0;
		unsigned next = 1;
	};

	explicit ProcessFinder(Criteria criteria) : criteria_(std::move(criteria)) {}
	[[nodiscard]] std::set<pid_t> members() const;
	[[nodiscard]] bool matches(pid_t pid) const;

	Criteria criteria_;
	std::set<pid_t> found_;
	std::map<pid_t, Other> others_;
};

/** The user ID of a name or of a number. */
Result<uid_t> user_id(const std::string &user);

} // namespace cli
