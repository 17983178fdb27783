// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/cgroup_walk.h  Visits cgroups of version 2. */
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cli {

/**
 * Visit a cgroup and all groups below it.  A group that disappears during the walk is skipped.
 *
 * @param directory the group's directory.
 * @param visit is called with each group's number, which is the inode number of its directory,
 *        and its path below @p directory: "" or "/a/b".
 */
void for_each_cgroup(const std::string &directory,
		     const std::function<void(uint64_t number, const std::string &path)> &visit);

} // namespace cli
