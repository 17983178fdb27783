// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/cgroup_paths.h"

#include "cli/process/cgroup_walk.h"

#include <utility>

namespace cli {
namespace {

constexpr std::chrono::seconds look_interval{1};
/* A restarted service gets a new group.  Beyond this number, removed groups are forgotten. */
constexpr size_t most_paths = 100000;
const std::string nowhere;

} // namespace

CgroupPaths::CgroupPaths(std::string mount) : mount_(std::move(mount)) {}

const std::string &CgroupPaths::path(uint64_t number)
{
	const auto now = std::chrono::steady_clock::now();
	auto found = paths_.find(number);

	if (found == paths_.end() && number && now >= next_look_) {
		if (paths_.size() > most_paths)
			paths_.clear();
		for_each_cgroup(mount_, [this](uint64_t one, const std::string &path) {
			paths_[one] = path.empty() ? "/" : path;
		});
		next_look_ = now + look_interval;
		found = paths_.find(number);
	}
	return found == paths_.end() ? nowhere : found->second;
}

} // namespace cli
