// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/cgroup_walk.h"

#include <filesystem>
#include <sys/stat.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

void walk(const fs::path &group, const std::string &path,
	  const std::function<void(uint64_t, const std::string &)> &visit)
{
	std::error_code error;
	struct stat about;

	if (stat(group.c_str(), &about))
		return;
	visit(about.st_ino, path);
	for (fs::directory_iterator entry(group, error), end; !error && entry != end;
	     entry.increment(error)) {
		std::error_code gone;

		if (entry->is_directory(gone) && !entry->is_symlink(gone))
			walk(entry->path(), path + "/" + entry->path().filename().string(), visit);
	}
}

} // namespace

void for_each_cgroup(const std::string &directory,
		     const std::function<void(uint64_t, const std::string &)> &visit)
{
	walk(directory, "", visit);
}

} // namespace cli
