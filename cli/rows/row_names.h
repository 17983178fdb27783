// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/row_names.h  Limits the memory for names in the rows of a report. */
#pragma once

#include "cli/base/characters.h"
#include "cli/base/text_store.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/**
 * Limits the names in rows.  Each row is printed with its own names, and those in a
 * hostile file can be megabytes long, so only a limited number of bytes is shown in full.
 */
class RowNames {
public:
	static constexpr size_t cut_columns = 128;

	/**
	 * @param store keeps the names that are cut; other names must outlive the rows.
	 * @param most the most bytes of names that are shown in full.
	 */
	RowNames(TextStore &store, size_t most) : store_(store), left_(most) {}

	/** The name; only its beginning if it is long and the limit is reached. */
	std::string_view limited(std::string_view name)
	{
		if (name.size() > cut_columns && name.size() > left_)
			return store_.keep(std::string(fitting(name.substr(0, cut_bytes), cut_columns)) +
					   "…");
		left_ -= std::min(left_, name.size());
		return name;
	}

private:
	static constexpr size_t cut_bytes = 512;

	TextStore &store_;
	size_t left_;
};

} // namespace cli
