// SPDX-License-Identifier: GPL-2.0-or-later
/** @file function_table.h  The functions of a profile, each once. */
#pragma once

#include "cli/frame.h"
#include "cli/profile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace cli {

/** Adds functions to a profile that has none yet. */
class FunctionTable {
public:
	/** Index of a function, which is added to @p functions if it is new. */
	size_t find(std::vector<Function> &functions, const Frame &frame)
	{
		const auto [place, fresh] = indices_.try_emplace(
			{frame.name, frame.system_name, frame.file, frame.start_line}, functions.size());

		if (fresh)
			functions.push_back({frame.name, frame.system_name, frame.file, frame.start_line});
		return place->second;
	}

private:
	using Key = std::tuple<std::string, std::string, std::string, int64_t>;

	std::map<Key, size_t> indices_;
};

} // namespace cli
