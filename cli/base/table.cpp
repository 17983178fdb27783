// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/table.h"

#include "cli/base/characters.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace cli {
namespace {

constexpr size_t gap = 2;
/* Names are not cut to less than this: a column is left out instead. */
constexpr size_t name_min = 12;
/* Without a terminal no name is cut, but a few long names must not widen the whole column. */
constexpr size_t name_column_max = 64;

/** A visible column. */
struct Shown {
	size_t index;
	size_t width;
	bool name;
};

std::vector<Shown> natural_widths(const Table &table)
{
	std::vector<Shown> shown;

	for (size_t i = 0; i < table.columns().size(); i++)
		shown.push_back({i, table.width(i), table.columns()[i].kind == TableColumn::Kind::Name});
	return shown;
}

/** The minimum width of the table. */
size_t least(const std::vector<Shown> &shown)
{
	size_t sum = gap * (shown.size() - 1);

	for (const Shown &one : shown)
		sum += one.name ? std::min(one.width, name_min) : one.width;
	return sum;
}

/** Remove columns until the table fits; returns their headings. */
std::vector<std::string> leave_out(const Table &table, std::vector<Shown> &shown, size_t width)
{
	const auto rank = [&](const Shown &one) { return table.columns()[one.index].rank; };
	std::vector<std::string> headings;

	while (least(shown) > width) {
		const auto highest =
			std::max_element(shown.begin(), shown.end(),
					 [&](const Shown &a, const Shown &b) { return rank(a) < rank(b); });

		if (!rank(*highest))
			break;
		headings.push_back(table.columns()[highest->index].heading);
		shown.erase(highest);
	}
	return headings;
}

size_t total_width(const std::vector<Shown> &shown)
{
	size_t sum = gap * (shown.size() - 1);

	for (const Shown &one : shown)
		sum += one.width;
	return sum;
}

/**
 * Share the width among the columns with names; if one needs less than its share, the others get
 * the rest.  A column that is never left out has twice the share of the others: the function
 * matters more than its object.
 */
void share(const Table &table, std::vector<Shown> &shown, size_t width)
{
	const auto weight = [&](const Shown *one) {
		return table.columns()[one->index].rank ? size_t{1} : size_t{2};
	};
	size_t room = gap * (shown.size() - 1);
	std::vector<Shown *> names;
	size_t weights = 0, shared = 0;

	for (Shown &one : shown) {
		if (one.name)
			names.push_back(&one);
		else
			room += one.width;
	}
	room = width > room ? width - room : 0;
	for (const Shown *one : names)
		weights += weight(one);
	/* Start with the columns that need the smallest part of their share. */
	std::sort(names.begin(), names.end(), [&](const Shown *a, const Shown *b) {
		return a->width * weight(b) < b->width * weight(a);
	});
	for (Shown *one : names) {
		size_t others = 0; /* the minimum of the columns that follow */

		for (const Shown *other : std::span(names).subspan(++shared))
			others += std::min(other->width, name_min);

		const size_t fair = std::min(room * weight(one) / weights, room - std::min(room, others));

		one->width = std::min(one->width, std::max<size_t>(fair, 1));
		room -= std::min(room, one->width);
		weights -= weight(one);
	}

	/* On the narrowest terminals, an address may still not fit beside a percentage. */
	const size_t excess = total_width(shown) - std::min(total_width(shown), width);

	shown.back().width -= std::min(excess, shown.back().width - 1);
}

/** The text of a cell, cut to @p width columns. */
std::string word_of(const Table::Kept &cell, size_t width)
{
	const size_t marked = columns(cell.mark());

	return shortened(cell.text(), width - std::min(width, marked)) + shortened(cell.mark(), width);
}

void add_line(std::string &text, const std::vector<Shown> &shown, std::span<const Table::Kept> cells,
	      bool cut, bool color)
{
	for (const Shown &one : shown) {
		const Table::Kept &cell = cells[one.index];
		const bool last = &one == &shown.back();
		const bool whole = !cut || cell.width <= one.width;
		const std::string word = whole ? "" : word_of(cell, one.width);
		const size_t pad = one.width - std::min(one.width, whole ? cell.width : columns(word));

		if (!one.name)
			text.append(pad, ' ');
		if (color)
			text += painted(whole ? std::string(cell.whole()) : word, cell.paint, color);
		else if (whole)
			text.append(cell.whole());
		else
			text += word;
		if (one.name && !last)
			text.append(pad, ' ');
		if (!last)
			text.append(gap, ' ');
	}
	text += '\n';
}

} // namespace

void Table::add_column(TableColumn column)
{
	widths_.push_back(std::max(column.least, cli::columns(column.heading)));
	columns_.push_back(std::move(column));
}

void Table::add_row(std::span<const Cell> cells)
{
	for (size_t i = 0; i < cells.size(); i++) {
		const Cell &cell = cells[i];
		const size_t width = cli::columns(cell.text) + cli::columns(cell.mark);

		cells_.push_back(
			{store_.keep(cell.text, cell.mark).data(), static_cast<uint32_t>(cell.text.size()),
			 static_cast<uint32_t>(cell.mark.size()), static_cast<uint32_t>(width), cell.paint});
		widths_[i] = std::max(widths_[i], width);
	}
}

Rendered render(const Table &table, size_t width, bool color, std::string before)
{
	std::vector<Shown> shown = natural_widths(table);
	Rendered rendered = {std::move(before), {}};
	std::vector<Table::Kept> headings;

	if (width) {
		rendered.left_out = leave_out(table, shown, width);
		share(table, shown, width);
	}
	for (Shown &one : shown) {
		if (!width && one.name)
			one.width = std::min(one.width, name_column_max);
	}
	for (const TableColumn &column : table.columns())
		headings.push_back({column.heading.data(), static_cast<uint32_t>(column.heading.size()), 0,
				    static_cast<uint32_t>(columns(column.heading)), Paint::Plain});
	/* An estimate: colours and wide characters need more. */
	rendered.text.reserve(rendered.text.size() + (table.rows() + 1) * (total_width(shown) + 1));
	add_line(rendered.text, shown, headings, width != 0, color);
	for (size_t i = 0; i < table.rows(); i++)
		add_line(rendered.text, shown, table.row(i), width != 0, color);
	return rendered;
}

} // namespace cli
