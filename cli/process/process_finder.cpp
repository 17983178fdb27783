// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/process_finder.h"

#include "cli/base/files.h"
#include "cli/base/whole_number.h"
#include "cli/process/process.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <pwd.h>
#include <string_view>
#include <unistd.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_wait = 64;

/* The kernel lists processes of other PID namespaces as 0. */
void add_members(const fs::path &group, std::set<pid_t> &pids)
{
	const Result<std::string> text = read_file(group / "cgroup.procs");
	std::string_view left = text ? std::string_view(*text) : std::string_view();

	while (!left.empty()) {
		const std::string_view line = left.substr(0, left.find('\n'));

		if (const auto pid = whole_number<pid_t>(line); pid && *pid)
			pids.insert(*pid);
		left.remove_prefix(std::min(line.size() + 1, left.size()));
	}
}

/* A group that disappears during the search must not end the search of the others. */
void add_members_below(const fs::path &group, std::set<pid_t> &pids)
{
	std::error_code error;

	add_members(group, pids);
	for (fs::directory_iterator entry(group, error), end; !error && entry != end;
	     entry.increment(error)) {
		std::error_code gone;

		if (entry->is_directory(gone) && !entry->is_symlink(gone))
			add_members_below(entry->path(), pids);
	}
}

/** Drop the processes that no longer exist. */
template <typename Container> void keep_only(Container &some, const std::set<pid_t> &all)
{
	std::erase_if(some, [&](const auto &one) {
		if constexpr (requires { one.first; })
			return !all.contains(one.first);
		else
			return !all.contains(one);
	});
}

} // namespace

Result<uid_t> user_id(const std::string &user)
{
	if (const auto number = whole_number<uid_t>(user))
		return *number;

	const passwd *entry = getpwnam(user.c_str()); // NOLINT(concurrency-mt-unsafe): we have one thread

	if (!entry)
		return Error{fmt::format("there is no user '{}'", user)};
	return entry->pw_uid;
}

Result<ProcessFinder> ProcessFinder::create(const Selection &selection)
{
	Result<Criteria> criteria = Criteria::create(selection);

	if (!criteria)
		return criteria.error();
	return ProcessFinder(*std::move(criteria));
}

std::set<pid_t> ProcessFinder::members() const
{
	std::set<pid_t> pids;

	for (const std::string &group : criteria_.cgroups())
		add_members_below(group, pids);
	return pids;
}

void ProcessFinder::put_back(pid_t pid)
{
	found_.erase(pid);
}

bool ProcessFinder::matches(pid_t pid) const
{
	const std::optional<ProcessFacts> facts = process_facts(pid);

	if (!facts || facts->zombie || !facts->has_memory)
		return false;
	return criteria_.match_user(facts->user) && criteria_.match_name(facts->name);
}

std::vector<pid_t> ProcessFinder::find()
{
	const std::set<pid_t> all = all_processes();
	const std::set<pid_t> in_cgroups = members();
	std::vector<pid_t> fresh;

	keep_only(found_, all);
	keep_only(others_, all);
	for (const pid_t pid : all) {
		if (pid == getpid() || found_.contains(pid))
			continue;
		if (!criteria_.cgroups().empty() && !in_cgroups.contains(pid)) {
			others_.erase(pid);
			continue;
		}

		Other &other = others_[pid];

		if (++other.age < other.next)
			continue;
		other.next = other.age + std::min(other.age, longest_wait);
		if (!matches(pid))
			continue;
		found_.insert(pid);
		fresh.push_back(pid);
	}
	return fresh;
}

} // namespace cli
