// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/table.h  Tables that fit a terminal. */
#pragma once

#include "cli/base/color.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct TableColumn {
	enum class Kind {
		Number, /**< right-aligned, never cut */
		Name,	/**< left-aligned, cut if necessary */
	};

	std::string heading;
	Kind kind = Kind::Number;
	/** If not all columns fit, those of the highest rank are left out first.  Columns of rank 0 always
	 * stay; there must be at least one. */
	unsigned rank = 0;
	size_t least = 0; /**< minimum width, unless cut */
};

struct Cell {
	std::string text;
	std::string mark = {}; /**< follows a name and survives cutting */
	Paint paint = Paint::Plain;
};

struct Table {
	std::vector<TableColumn> columns;
	std::vector<std::vector<Cell>> rows; /**< a cell for each column, safe to print */
};

/** A rendered table. */
struct Rendered {
	std::string text;		   /**< lines */
	std::vector<std::string> left_out; /**< headings of the columns that did not fit */
};

/**
 * Render a table as text.
 *
 * @param width columns of the terminal, which no line exceeds; 0: no limit.
 * @param color whether cells are painted.
 */
Rendered render(const Table &table, size_t width, bool color);

} // namespace cli
