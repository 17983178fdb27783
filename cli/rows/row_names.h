// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/row_names.h  Names in the rows of a report, within limits. */
#pragma once

#include "cli/base/characters.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/**
 * Copies of names, each as often as there are rows that have it: of a hostile
 * file, whose names are megabytes, only so many are whole.
 */
class RowNames {
public:
	static constexpr size_t cut_columns = 128;

	/** @param most bytes of names that are whole. */
	explicit RowNames(size_t most) : left_(most) {}

	/** The name; or, if there is no room for it any more and it is long, how it begins. */
	std::string copy(std::string_view name)
	{
		if (name.size() > cut_columns && name.size() > left_)
			return std::string(fitting(name.substr(0, cut_bytes), cut_columns)) + "…";
		left_ -= std::min(left_, name.size());
		return std::string(name);
	}

private:
	static constexpr size_t cut_bytes = 512;

	size_t left_;
};

} // namespace cli
