// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/frame.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/base/table.h"
#include "cli/commands/top/event_text.h"
#include "cli/profile/about.h"
#include "cli/profile/location.h"
#include "cli/rows/name_notes.h"
#include "cli/rows/row_cells.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

/* Ranks of columns, as in a report: columns that follow from others are left out first. */
constexpr unsigned rank_samples = 99;
constexpr unsigned rank_delta = 100;
constexpr unsigned rank_now = 101;
constexpr unsigned rank_ratios = 98;
constexpr unsigned rank_events = 50; /* plus the index of the event */
constexpr unsigned rank_command = 49;
constexpr size_t percent_width = 6;
constexpr size_t delta_width = 6;
constexpr size_t unit_width = 12;
constexpr size_t event_width = 16;
constexpr size_t narrow_width = 12;

/* On a narrower screen, the names of functions need the room. */
constexpr size_t wide_enough_for_commands = 120;

/* The least height of a screen at which each part is shown. */
constexpr size_t high_for_heading = 2;
constexpr size_t high_for_title = 3;
constexpr size_t high_for_bottom = 5;
constexpr size_t high_for_account = 7;
constexpr size_t high_for_targets = 10;
constexpr size_t high_for_gaps = 16;

bool of_events(const TopPicture &picture)
{
	return is_of_events(picture.profile);
}

/** "12,345 samples in 12.3 s at 999 Hz"; with events, the count and losses of each. */
std::string title(const TopPicture &picture, const About &about)
{
	const std::string duration = profile_duration_text(picture.profile);
	const std::string rate = profile_rate_text(picture.profile);
	std::string text =
		"profil top: " +
		printable(of_events(picture) ? events_text(picture.rows, about.events)
					     : amount_text(picture.rows.samples(), picture.rows.type()));

	if (!duration.empty())
		text += " in " + duration;
	if (!rate.empty())
		text += " at " + rate;
	return text;
}

/** The differences from the default view; empty for the default view. */
std::string state(const TopPicture &picture)
{
	std::vector<std::string> words;

	if (!picture.state.empty())
		words.push_back(picture.state);
	if (picture.order != TopOrder::Samples || picture.reversed || picture.rows.leading())
		words.push_back(fmt::format("by {}{}", printable(order_text(picture.rows, picture.order)),
					    picture.reversed ? ", reversed" : ""));
	for (const Filter &filter : picture.rows.view().filters)
		words.push_back("filter " + printable(filter.text));
	return fmt::format("{}", fmt::join(words, "; "));
}

std::string targets(const TopPicture &picture)
{
	return printable(picture.targets);
}

std::string filtered_text(const TopRows &rows)
{
	return rows.view().filters.empty() ? ""
					   : share_text(rows.filtered_out(), rows.samples(), rows.type()) +
						     " left out by the filter";
}

Cell percent_cell(uint64_t samples, uint64_t total)
{
	const double percent = percent_of(samples, total);

	return {fmt::format("{:.2f}", percent), {}, heat(percent)};
}

std::vector<Row> names_of(const TopRows &rows, std::span<const size_t> some)
{
	std::vector<Row> names;

	names.reserve(some.size());
	for (const size_t index : some)
		names.push_back(rows.names(index));
	return names;
}

/** The columns of ratios, and of all events except the leading one. */
class EventColumnsShown {
public:
	explicit EventColumnsShown(const TopRows &rows) : rows_(rows), ratios_(ratios_in(rows)) {}

	void add_columns(Table &table) const
	{
		for (const size_t event : others())
			table.add_column({shortened(printable(rows_.types()[event].type), event_width) + " %",
					  TableColumn::Kind::Number,
					  std::min(rank_events + static_cast<unsigned>(event), rank_ratios),
					  percent_width});
		for (const Ratio &ratio : ratios_)
			table.add_column({printable(ratio.name), TableColumn::Kind::Number, rank_ratios,
					  percent_width});
	}

	void add_cells(std::vector<Cell> &cells, size_t row) const
	{
		std::vector<uint64_t> values;

		for (const size_t event : others())
			cells.push_back(
				percent_cell(rows_.amount(row, event).samples, rows_.total(event).samples));
		for (size_t event = 0; event < rows_.types().size(); event++)
			values.push_back(rows_.amount(row, event).samples);
		for (const Ratio &ratio : ratios_)
			cells.push_back({ratio_text(ratio_of(ratio, values))});
	}

private:
	[[nodiscard]] std::vector<size_t> others() const
	{
		std::vector<size_t> all;

		for (size_t event = 0; event < rows_.types().size(); event++) {
			if (event != rows_.leading())
				all.push_back(event);
		}
		return all;
	}

	const TopRows &rows_;
	std::vector<Ratio> ratios_;
};

/** True if programs have a column; independent of the visible rows, or it would flicker. */
bool shows_commands(const TopRows &rows, size_t width)
{
	return rows.has_several_commands() && (!width || width >= wide_enough_for_commands) &&
	       !has_key(rows.columns(), SortKey::Command) && !has_key(rows.columns(), SortKey::Process);
}

/** "perl", or "perl, 2 more" */
Cell commands_cell(const TopCommands &commands)
{
	return {printable(commands.most.empty() ? unknown_name : commands.most),
		commands.others ? fmt::format(", {} more", grouped(commands.others)) : ""};
}

Table table_of(const TopPicture &picture, std::span<const size_t> some, size_t width)
{
	const TopRows &rows = picture.rows;
	const std::vector<Row> names = names_of(rows, some);
	const EventColumnsShown events(rows);
	const std::vector<TopCommands> commands =
		shows_commands(rows, width) ? rows.commands(some) : std::vector<TopCommands>();
	ShownNames shown(rows.view().names);
	Table table;

	table.add_column(
		{shortened(printable(unit_of(rows.type())), of_events(picture) ? event_width : unit_width),
		 TableColumn::Kind::Number, rank_samples});
	table.add_column({"%", TableColumn::Kind::Number, 0, percent_width});
	if (picture.live) {
		table.add_column({"delta", TableColumn::Kind::Number, rank_delta, delta_width});
		table.add_column({"now %", TableColumn::Kind::Number, rank_now, percent_width});
	}
	events.add_columns(table);
	for (TableColumn &column : name_columns(rows.columns()))
		table.add_column(std::move(column));
	if (!commands.empty())
		table.add_column({"command", TableColumn::Kind::Name, rank_command});
	for (const Row &row : names)
		add_functions(shown, row);
	for (size_t i = 0; i < some.size(); i++) {
		const TopAmount &row = rows.amount(some[i]);
		std::vector<Cell> cells = {{grouped(row.samples)}, percent_cell(row.samples, rows.samples())};

		if (picture.live) {
			cells.push_back({row.fresh ? "+" + grouped(row.fresh) : ""});
			cells.push_back(percent_cell(row.fresh, rows.fresh()));
		}
		events.add_cells(cells, some[i]);
		add_name_cells(cells, names[i], rows.columns(), shown);
		if (!commands.empty())
			cells.push_back(commands_cell(commands[i]));
		table.add_row(cells);
	}
	return table;
}

/** The table's headings and rows, none wider than the screen. */
std::vector<std::string> table_lines(const TopPicture &picture, std::span<const size_t> some, size_t width,
				     bool color)
{
	/* If not even the numbers fit, the lines are cut, and have no colours: a cut could break
	 * an escape sequence. */
	const bool narrow = width < narrow_width;
	std::vector<std::string> lines =
		split_lines(render(table_of(picture, some, width), width, color && !narrow).text);

	for (std::string &line : lines) {
		if (narrow)
			line = shortened(line, width);
	}
	return lines;
}

/** All ticks in one line: "3,004 ticks: 99.77 % counted, 0.23 % ..." */
std::string account_in_a_line(const Accounting &accounting)
{
	std::string text = counted_noun(accounting.ticks, "tick");
	const char *separator = ": ";

	for (const Cause &cause : all_causes()) {
		if (!(accounting.*cause.member))
			continue;
		text += fmt::format("{}{:.2f} % {}", separator,
				    percent_of(accounting.*cause.member, accounting.ticks), cause.words);
		separator = "; ";
	}
	if (accounting.lost_unowned)
		text += fmt::format("; {} {}", grouped(accounting.lost_unowned), lost_of_unknown_owner);
	return text;
}

/** The lines below the table; if there are more than @p most, only the most important ones. */
std::vector<std::string> foot(const TopPicture &picture, const About &about, size_t most)
{
	std::vector<std::string> lines = profile_accounting_lines(picture.profile);
	const std::string filtered = filtered_text(picture.rows);

	if (!filtered.empty())
		lines.push_back(filtered);
	for (std::string &note : name_notes(picture.profile, picture.rows.columns()))
		lines.push_back(std::move(note));
	for (const std::string &notice : picture.notices)
		lines.push_back(printable(notice));
	if (lines.size() <= most || lines.empty())
		return lines;

	std::vector<std::string> few;

	if (about.accounting.ticks || about.accounting.lost_unowned)
		few.push_back(account_in_a_line(about.accounting));
	for (std::string &line : event_lines(about))
		few.push_back(std::move(line));
	for (const std::string &notice : picture.notices)
		few.push_back(printable(notice));
	if (!filtered.empty())
		few.push_back(filtered);
	few.resize(std::min(few.size(), most));
	return few;
}

/** The parts of a screen other than the table's rows. */
struct Layout {
	std::vector<std::string> head;
	bool heading = false;
	std::vector<std::string> foot;
	bool bottom = false;
	bool gaps = false;

	[[nodiscard]] size_t lines() const
	{
		return head.size() + heading + foot.size() + bottom + (gaps && !foot.empty()) +
		       (gaps && !head.empty());
	}
};

Layout layout_of(const TopPicture &picture, size_t height)
{
	const About about = from_comments(picture.profile.comments);
	Layout layout;

	layout.heading = height >= high_for_heading;
	layout.bottom = height >= high_for_bottom;
	layout.gaps = height >= high_for_gaps;
	if (height >= high_for_title)
		layout.head.push_back(title(picture, about));
	/* Users should see the effect of their own keys, even if the screen has few lines. */
	if (const std::string words = state(picture); !words.empty() && height >= high_for_bottom) {
		if (height >= high_for_account)
			layout.head.push_back(words);
		else
			layout.head.back() = words;
	}
	if (const std::string words = targets(picture); !words.empty() && height >= high_for_targets)
		layout.head.push_back(words);
	if (height >= high_for_account)
		layout.foot = foot(picture, about, height >= high_for_gaps ? height / 3 : 1);
	return layout;
}

} // namespace

size_t top_screen_rows(const TopPicture &picture, ScreenSize size)
{
	const size_t taken = layout_of(picture, size.height).lines();

	return size.height > taken ? size.height - taken : 0;
}

ScreenLines top_screen(const TopPicture &picture, ScreenSize size, size_t first, size_t selected, bool color)
{
	using Emphasis = ScreenLine::Emphasis;
	const Layout layout = layout_of(picture, size.height);
	const size_t room = top_screen_rows(picture, size);
	std::vector<size_t> rows = picture.rows.first(first + room, picture.order, picture.reversed);
	ScreenLines frame;
	const auto add = [&](const std::string &text, Paint paint = Paint::Plain) {
		frame.push_back({painted(shortened(text, size.width), paint, color)});
	};

	rows.erase(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(std::min(first, rows.size())));
	for (const std::string &line : layout.head)
		add(line);
	if (layout.gaps)
		add("");

	std::vector<std::string> lines = table_lines(picture, rows, size.width, color);

	lines.resize(room + 1);
	if (layout.heading)
		frame.push_back({lines.front(), Emphasis::Heading});
	for (size_t i = 0; i < room; i++) {
		const bool is_selected = i < rows.size() && first + i == selected;

		frame.push_back({lines[i + 1], is_selected ? Emphasis::Selected : Emphasis::None});
	}
	if (layout.gaps && !layout.foot.empty())
		add("");
	for (const std::string &line : layout.foot)
		add(line, Paint::Dim);
	if (layout.bottom)
		add(picture.bottom);
	return frame;
}

std::string top_text(const TopPicture &picture, size_t width, size_t limit, bool color)
{
	const About about = from_comments(picture.profile.comments);
	const TopRows &rows = picture.rows;
	const std::vector<size_t> some = rows.first(limit, picture.order, picture.reversed);
	uint64_t samples = rows.filtered_out();
	std::string text;
	const auto add = [&](const std::string &line, Paint paint = Paint::Plain) {
		for (const std::string &part : wrapped(line, width))
			text += painted(part, paint, color) + '\n';
	};

	add(title(picture, about));
	for (const std::string &line : {targets(picture), state(picture)}) {
		if (!line.empty())
			add(line);
	}
	text += '\n';
	if (!some.empty())
		text += render(table_of(picture, some, width), width, color).text;
	for (const size_t index : some)
		samples = saturating_add(samples, rows.amount(index).samples);
	if (rows.shown() > some.size())
		add(fmt::format("... and {}, of {}", counted_noun(rows.shown() - some.size(), "more row"),
				share_text(rows.samples() - std::min(samples, rows.samples()), rows.samples(),
					   rows.type())),
		    Paint::Dim);
	text += '\n';
	for (const std::string &line : foot(picture, about, SIZE_MAX))
		add(line, Paint::Dim);
	return text;
}

} // namespace cli
