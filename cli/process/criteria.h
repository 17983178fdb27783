// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/criteria.h  The criteria by which processes match a selection. */
#pragma once

#include "cli/base/pattern.h"
#include "cli/base/result.h"
#include "cli/process/selection.h"

#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cli {

/** The checked criteria of a selection; a list that is empty matches every process. */
class Criteria {
public:
	/** The error names the invalid expression or the missing cgroup. */
	static Result<Criteria> create(const Selection &selection);

	[[nodiscard]] bool has_names() const { return !names_.empty(); }
	[[nodiscard]] bool match_name(std::string_view name) const;
	[[nodiscard]] bool match_user(uid_t user) const { return users_.empty() || users_.contains(user); }
	/** The selected directories; the groups below them match, too. */
	[[nodiscard]] const std::vector<std::string> &cgroups() const { return cgroups_; }

private:
	std::vector<Pattern> names_;
	std::set<uid_t> users_;
	std::vector<std::string> cgroups_;
};

/** The mount point of cgroup2. */
constexpr std::string_view cgroup_mount = "/sys/fs/cgroup";

/**
 * The directory of a cgroup: @p path itself if it begins with cgroup_mount, else
 * @p path below cgroup_mount, as shown by systemd-cgls(1).
 */
Result<std::string> cgroup_directory(const std::string &path);

} // namespace cli
