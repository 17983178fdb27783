// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/table.h  Rows and columns, made to fit a terminal. */
#pragma once

#include "cli/base/color.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct TableColumn {
	enum class Kind {
		Number, /**< to the right, never cut */
		Name,	/**< to the left, cut where it must be */
	};

	std::string heading;
	Kind kind = Kind::Number;
	/** Where there is no room for all, those of the highest rank are left out; never those of rank 0, one
	 * at least. */
	unsigned rank = 0;
	size_t least = 0; /**< columns that it takes at least, unless it is cut */
};

struct Cell {
	std::string text;
	std::string_view mark = {}; /**< a constant that follows a name, and is not cut off with it */
	Paint paint = Paint::Plain;
};

struct Table {
	std::vector<TableColumn> columns;
	std::vector<std::vector<Cell>> rows; /**< a cell for each column, safe to print */
};

/** How a table came out. */
struct Rendered {
	std::string text;		   /**< lines */
	std::vector<std::string> left_out; /**< headings of columns that had no room */
};

/**
 * Lay a table out.
 *
 * @param width columns of the terminal, which no line exceeds; 0: as many as it takes.
 * @param color whether cells are painted.
 */
Rendered render(const Table &table, size_t width, bool color);

} // namespace cli
