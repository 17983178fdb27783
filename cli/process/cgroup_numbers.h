// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/cgroup_numbers.h  Tells by number whether a cgroup is in a selection. */
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/**
 * The numbers of some cgroups of version 2, and of all groups below them.
 *
 * A cgroup's number is the inode number of its directory, and never reused.  A group
 * cannot move to another parent, so a cached answer stays true.
 */
class CgroupNumbers {
public:
	/** @param directories the groups' directories; if empty, contains() is always true. */
	explicit CgroupNumbers(std::vector<std::string> directories)
		: directories_(std::move(directories)), all_(directories_.empty())
	{
	}

	/** True for one of the groups, or a group below one.  Scans again for an unknown number. */
	[[nodiscard]] bool contains(uint64_t number);

private:
	std::vector<std::string> directories_;
	bool all_;
	std::set<uint64_t> inside_;
	std::set<uint64_t> outside_;
};

/** True if all of these directories are in cgroup2, and none in a hierarchy of version 1. */
bool are_cgroups_2(const std::vector<std::string> &directories);

} // namespace cli
