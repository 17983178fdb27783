// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/cgroup_numbers.h"

#include "cli/process/cgroup_walk.h"

#include <algorithm>
#include <linux/magic.h>
#include <sys/vfs.h>

namespace cli {
namespace {

/* The most numbers outside the selection in the cache, which is cleared when it is full. */
constexpr size_t most_outside = 100000;

} // namespace

bool CgroupNumbers::contains(uint64_t number)
{
	if (all_ || inside_.contains(number))
		return true;
	if (outside_.contains(number))
		return false;
	for (const std::string &directory : directories_)
		for_each_cgroup(directory,
				[this](uint64_t one, const std::string &) { inside_.insert(one); });
	if (inside_.contains(number))
		return true;
	if (outside_.size() >= most_outside)
		outside_.clear();
	outside_.insert(number);
	return false;
}

bool are_cgroups_2(const std::vector<std::string> &directories)
{
	return std::all_of(directories.begin(), directories.end(), [](const std::string &directory) {
		struct statfs about;

		return !statfs(directory.c_str(), &about) && about.f_type == CGROUP2_SUPER_MAGIC;
	});
}

} // namespace cli
