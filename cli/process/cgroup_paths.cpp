// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/cgroup_paths.h"

#include <filesystem>
#include <sys/stat.h>
#include <utility>

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds look_interval{1};
/* Groups of services that are started again and again are new ones; beyond that, those of now are kept. */
constexpr size_t most_paths = 100000;
const std::string nowhere;

/* A group may disappear meanwhile; that must not end the search of the others. */
void add_paths(const fs::path &group, const std::string &path, std::map<uint64_t, std::string> &paths)
{
	std::error_code error;
	struct stat about;

	if (stat(group.c_str(), &about))
		return;
	paths[about.st_ino] = path.empty() ? "/" : path;
	for (fs::directory_iterator entry(group, error), end; !error && entry != end;
	     entry.increment(error)) {
		std::error_code gone;

		if (entry->is_directory(gone) && !entry->is_symlink(gone))
			add_paths(entry->path(), path + "/" + entry->path().filename().string(), paths);
	}
}

} // namespace

CgroupPaths::CgroupPaths(std::string mount) : mount_(std::move(mount)) {}

const std::string &CgroupPaths::path(uint64_t number)
{
	const auto now = std::chrono::steady_clock::now();
	auto found = paths_.find(number);

	if (found == paths_.end() && number && now >= next_look_) {
		if (paths_.size() > most_paths)
			paths_.clear();
		add_paths(mount_, "", paths_);
		next_look_ = now + look_interval;
		found = paths_.find(number);
	}
	return found == paths_.end() ? nowhere : found->second;
}

} // namespace cli
