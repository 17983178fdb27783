// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/row_cells.h"

#include "cli/base/characters.h"
#include "cli/profile/location.h"

#include <fmt/format.h>

namespace cli {
namespace {

/* As in addr2line: "??:0" if the line is unknown. */
std::string line_text(const Row &row)
{
	const std::string file = row.file.empty() ? "??" : printable(base_name(row.file));

	return fmt::format("{}:{}", file, row.line);
}

std::string process_text(const Row &row)
{
	const std::string command = printable(row.command.empty() ? unknown_name : row.command);

	return row.pid ? fmt::format("{} (pid {})", command, *row.pid) : command;
}

Cell name_cell(const Row &row, SortKey column, bool alone, const ShownNames &names)
{
	switch (column) {
	case SortKey::Function: return {printable(names.text(row.function))};
	case SortKey::Inlined:
		return {printable(names.text(row.inlined)), row.is_inlined ? " (inlined)" : ""};
	case SortKey::Line: return {line_text(row)};
	case SortKey::Object: return {printable(alone ? row.object : base_name(row.object))};
	case SortKey::Process: return {process_text(row)};
	case SortKey::Command: return {printable(row.command.empty() ? unknown_name : row.command)};
	case SortKey::Address: break;
	}
	return {fmt::format("{:#x}", row.address)};
}

} // namespace

std::vector<TableColumn> name_columns(std::span<const SortKey> columns)
{
	/* Name columns have ranks above this; less useful columns have still higher ranks. */
	constexpr unsigned first_rank = 1;
	std::vector<TableColumn> all;

	for (const SortKey column : columns) {
		/* If Inlined is the only column of functions, "function" is the better heading. */
		const bool only = column == SortKey::Inlined && !has_key(columns, SortKey::Function);

		all.push_back(
			{std::string(sort_key_name(only ? SortKey::Function : column)),
			 column == SortKey::Address ? TableColumn::Kind::Number : TableColumn::Kind::Name,
			 all.empty() ? 0 : first_rank + static_cast<unsigned>(all.size())});
	}
	return all;
}

void add_functions(ShownNames &names, const Row &row)
{
	if (!row.function.empty())
		names.add(row.function);
	if (!row.inlined.empty() && row.inlined.data() != row.function.data())
		names.add(row.inlined);
}

void add_name_cells(std::vector<Cell> &cells, const Row &row, std::span<const SortKey> columns,
		    const ShownNames &names)
{
	cells.reserve(cells.size() + columns.size());
	for (const SortKey column : columns)
		cells.push_back(name_cell(row, column, columns.size() == 1, names));
}

} // namespace cli
