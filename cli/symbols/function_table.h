// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/function_table.h  The functions of a profile, each once. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/symbols/frame.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cli {

/** Adds functions to a profile, which must have none at first. */
class FunctionTable {
public:
	/** Reserve room for @p count functions. */
	void reserve(std::vector<Function> &functions, size_t count)
	{
		functions.reserve(count);
		indices_.reserve(count);
	}

	/** The index of a function in @p functions; adds it if it is new. */
	size_t find(std::vector<Function> &functions, Frame frame)
	{
		const size_t hash = hash_of(frame);
		const auto [first, last] = indices_.equal_range(hash);

		for (auto place = first; place != last; ++place) {
			if (is(functions[place->second], frame))
				return place->second;
		}
		indices_.emplace(hash, functions.size());
		functions.push_back({std::move(frame.name), std::move(frame.system_name),
				     std::move(frame.file), frame.start_line});
		return functions.size() - 1;
	}

private:
	/* The name alone distinguishes most functions. */
	static size_t hash_of(const Frame &frame) { return std::hash<std::string_view>()(frame.system_name); }

	static bool is(const Function &function, const Frame &frame)
	{
		return function.system_name == frame.system_name && function.name == frame.name &&
		       function.filename == frame.file && function.start_line == frame.start_line;
	}

	std::unordered_multimap<size_t, size_t> indices_;
};

} // namespace cli
