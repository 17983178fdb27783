// SPDX-License-Identifier: GPL-2.0-or-later
/** @file owners.h  The processes of a recording that tells them apart. */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace cli {

/** A process as it was called when it was attached; after an exec it may be another. */
struct Owner {
	pid_t pid = 0;
	std::string name;
	auto operator<=>(const Owner &) const = default;
};

/** Numbers for processes, from 1. */
class Owners {
public:
	uint32_t number(pid_t pid, const std::string &name)
	{
		const auto [place, fresh] = numbers_.try_emplace({pid, name}, owners_.size() + 1);

		if (fresh)
			owners_.push_back(place->first);
		return static_cast<uint32_t>(place->second);
	}

	/** NULL for 0, which is nobody in particular. */
	[[nodiscard]] const Owner *find(uint32_t number) const
	{
		return number && number <= owners_.size() ? &owners_[number - 1] : nullptr;
	}

private:
	std::map<Owner, size_t> numbers_;
	std::vector<Owner> owners_;
};

} // namespace cli
