// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/criteria.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace cli {

namespace fs = std::filesystem;

Result<std::string> cgroup_directory(const std::string &path)
{
	std::error_code error;
	fs::path group = path;

	if (!path.starts_with(cgroup_mount))
		group = fs::path(cgroup_mount) / fs::path(path).relative_path();
	if (fs::exists(group / "cgroup.procs", error))
		return group.native();
	return Error{fmt::format("there is no cgroup '{}' (no {}; systemd-cgls shows them)", path,
				 (group / "cgroup.procs").native())};
}

Result<Criteria> Criteria::create(const Selection &selection)
{
	Criteria criteria;

	for (const std::string &name : selection.names) {
		Result<Pattern> pattern = Pattern::compile(name);

		if (!pattern)
			return pattern.error();
		criteria.names_.push_back(*std::move(pattern));
	}
	for (const std::string &group : selection.cgroups) {
		Result<std::string> directory = cgroup_directory(group);

		if (!directory)
			return directory.error();
		criteria.cgroups_.push_back(*std::move(directory));
	}
	criteria.users_.insert(selection.users.begin(), selection.users.end());
	return criteria;
}

bool Criteria::match_name(std::string_view name) const
{
	return names_.empty() || std::any_of(names_.begin(), names_.end(),
					     [&](const Pattern &pattern) { return pattern.found_in(name); });
}

} // namespace cli
