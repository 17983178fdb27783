// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/row_cells.h  Shows the names of a row as cells of a table. */
#pragma once

#include "cli/base/table.h"
#include "cli/names/shown_names.h"
#include "cli/rows/flat.h"

#include <span>
#include <vector>

namespace cli {

/** Table columns for the names of rows; the first column is never left out. */
std::vector<TableColumn> name_columns(std::span<const SortKey> columns);

/** Add the functions of a row, which must outlive @p names, to the names of a view. */
void add_functions(ShownNames &names, const Row &row);

/** Append the row's cell for each of @p columns; @p names must have the row's functions. */
void add_name_cells(std::vector<Cell> &cells, const Row &row, std::span<const SortKey> columns,
		    const ShownNames &names);

} // namespace cli
