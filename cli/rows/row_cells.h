// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/row_cells.h  Shows the names of a row as cells of a table. */
#pragma once

#include "cli/base/table.h"
#include "cli/rows/flat.h"

#include <span>
#include <vector>

namespace cli {

/** Table columns for the names of rows; the first column is never left out. */
std::vector<TableColumn> name_columns(std::span<const SortKey> columns);

/** Append the row's cell for each of @p columns. */
void add_name_cells(std::vector<Cell> &cells, const Row &row, std::span<const SortKey> columns);

} // namespace cli
