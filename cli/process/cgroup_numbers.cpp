// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/cgroup_numbers.h"

#include <algorithm>
#include <filesystem>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

/* Numbers that are not in the selection; beyond that they are looked for again. */
constexpr size_t most_outside = 100000;

/* A group may disappear meanwhile; that must not end the search of the others. */
void add_numbers(const fs::path &group, std::set<uint64_t> &numbers)
{
	std::error_code error;
	struct stat about;

	if (stat(group.c_str(), &about))
		return;
	numbers.insert(about.st_ino);
	for (fs::directory_iterator entry(group, error), end; !error && entry != end;
	     entry.increment(error)) {
		std::error_code gone;

		if (entry->is_directory(gone) && !entry->is_symlink(gone))
			add_numbers(entry->path(), numbers);
	}
}

} // namespace

bool CgroupNumbers::contains(uint64_t number)
{
	if (all_ || inside_.contains(number))
		return true;
	if (outside_.contains(number))
		return false;
	for (const std::string &directory : directories_)
		add_numbers(directory, inside_);
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
