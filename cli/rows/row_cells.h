// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/row_cells.h  The names of a row, as cells of a table. */
#pragma once

#include "cli/base/table.h"
#include "cli/rows/flat.h"

#include <span>
#include <vector>

namespace cli {

/** Columns of a table for what rows are told apart by; the first is never left out. */
std::vector<TableColumn> name_columns(std::span<const SortKey> columns);

/** Append a row's cell for each of them. */
void add_name_cells(std::vector<Cell> &cells, const Row &row, std::span<const SortKey> columns);

} // namespace cli
