// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/owners.h  Numbers for the processes or programs that a recording distinguishes. */
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <sys/types.h>

namespace cli {

/**
 * A process under one name (it becomes another Owner when it executes a program), or a program, no
 * matter which processes run it.
 */
struct Owner {
	pid_t pid = 0; /**< 0: a program */
	std::string name;
	std::string cgroup; /**< path of the cgroup, if programs are distinguished by it */
	int64_t slice = -1; /**< start of a time slice, in ms since the beginning; -1: no slices */
	auto operator<=>(const Owner &) const = default;
};

/** Numbers processes and programs from 1.  The numbers of forgotten processes are not reused. */
class Owners {
public:
	uint32_t number(pid_t pid, const std::string &name, const std::string &cgroup = "")
	{
		return number({pid, name, cgroup});
	}
	uint32_t number(const Owner &owner)
	{
		const auto [place, fresh] = numbers_.try_emplace(owner, last_ + 1);

		if (fresh)
			owners_.emplace(++last_, place->first);
		return place->second;
	}

	/** The owner with a number; nullptr for 0, which stands for any process. */
	[[nodiscard]] const Owner *find(uint32_t number) const
	{
		const auto place = owners_.find(number);

		return place == owners_.end() ? nullptr : &place->second;
	}

	/** Forget all other numbers: during a long recording, processes come and go. */
	void keep_only(const std::set<uint32_t> &numbers)
	{
		std::erase_if(owners_, [&](const auto &entry) { return !numbers.contains(entry.first); });
		std::erase_if(numbers_, [&](const auto &entry) { return !numbers.contains(entry.second); });
	}

	/** Restore forgotten processes from @p earlier, an earlier copy of this. */
	void add(const Owners &earlier) { owners_.insert(earlier.owners_.begin(), earlier.owners_.end()); }

	[[nodiscard]] size_t size() const { return owners_.size(); }

private:
	std::map<Owner, uint32_t> numbers_;
	std::map<uint32_t, Owner> owners_;
	uint32_t last_ = 0;
};

} // namespace cli
