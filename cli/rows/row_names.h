// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/row_names.h  Limits the memory for names in the rows of a report. */
#pragma once

#include "cli/base/characters.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/**
 * Copies names into rows, once for each row.  The names in a hostile file can be
 * megabytes long, so only a limited number of bytes is copied in full.
 */
class RowNames {
public:
	static constexpr size_t cut_columns = 128;

	/** @param most bytes of names to copy in full. */
	explicit RowNames(size_t most) : left_(most) {}

	/** The name; only its beginning if it is long and the limit is reached. */
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
