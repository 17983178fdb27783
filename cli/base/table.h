// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/table.h  Tables that fit a terminal. */
#pragma once

#include "cli/base/color.h"
#include "cli/base/text_store.h"

#include <cstddef>
#include <cstdint>
#include <span>
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
	std::string mark = {}; /**< follows the text, and stays when the text is cut */
	Paint paint = Paint::Plain;
};

/** Rows of cells in compact form: a table can have hundreds of thousands of rows. */
class Table {
public:
	/** A cell, with its width on the terminal. */
	struct Kept {
		const char *begin; /**< start of the text; the mark follows the text */
		uint32_t length;   /**< the text's length in bytes; mark_length is the mark's */
		uint32_t mark_length;
		uint32_t width;
		Paint paint;

		[[nodiscard]] std::string_view text() const { return {begin, length}; }
		[[nodiscard]] std::string_view mark() const { return {begin + length, mark_length}; }
		[[nodiscard]] std::string_view whole() const { return {begin, length + size_t{mark_length}}; }
	};

	/** Call this before add_row(). */
	void add_column(TableColumn column);

	/** Allocate memory for @p rows rows. */
	void reserve(size_t rows) { cells_.reserve(rows * columns_.size()); }

	/** @param cells one for each column, safe to print. */
	void add_row(std::span<const Cell> cells);

	[[nodiscard]] const std::vector<TableColumn> &columns() const { return columns_; }
	/** The width that a column needs to show every cell in full. */
	[[nodiscard]] size_t width(size_t column) const { return widths_[column]; }
	[[nodiscard]] size_t rows() const { return cells_.size() / columns_.size(); }
	[[nodiscard]] std::span<const Kept> row(size_t number) const
	{
		return std::span(cells_).subspan(number * columns_.size(), columns_.size());
	}

private:
	TextStore store_;
	std::vector<TableColumn> columns_;
	std::vector<size_t> widths_;
	std::vector<Kept> cells_; /**< the cells of all rows */
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
 * @param before text to put before the table.
 */
Rendered render(const Table &table, size_t width, bool color, std::string before = {});

} // namespace cli
