// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/table.h"
#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/commands/report/notes.h"
#include "cli/commands/report/report.h"
#include "cli/profile/about.h"
#include "cli/rows/row_cells.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>

namespace cli {
namespace {

/* Ranks of columns: numbers that other columns imply are left out first, then names. */
constexpr unsigned rank_other_shares = 102;
constexpr unsigned rank_seconds = 101;
constexpr unsigned rank_first = 100;
constexpr unsigned rank_events = 99;
constexpr unsigned rank_ratios = 98;
constexpr unsigned rank_deltas = 50; /* plus the index of the event */
constexpr unsigned rank_last = 1;
constexpr size_t percent_width = 6;
constexpr size_t event_width = 16;

std::string header(const Report &report)
{
	const About about = from_comments(report.now.profile.comments);
	std::string text = report_title(report.now, report.base.has_value());

	if (report.base)
		text += "\ncompared with " + report_title(*report.base, true);
	if (!about.targets.empty())
		text += '\n' + printable(targets_text(about, report.now.profile));
	return text;
}

/** The lines of @p text, made printable and wrapped at the terminal's width. */
std::string fitted(std::string_view text, const ReportStyle &style, Paint paint)
{
	std::string result;

	while (!text.empty()) {
		const std::string_view one = text.substr(0, text.find('\n'));

		for (const std::string &part : wrapped(printable(one), style.width))
			result += painted(part, paint, style.color) + '\n';
		text.remove_prefix(std::min(one.size() + 1, text.size()));
	}
	return result;
}

/** Shares of a total.  The last one is cached: in a long table, most rows repeat the count. */
class PercentCells {
public:
	explicit PercentCells(uint64_t total) : total_(total) {}

	const Cell &cell(uint64_t samples)
	{
		if (samples_ != samples) {
			const double percent = percent_of(samples, total_);

			samples_ = samples;
			cell_ = {hundredths(percent), {}, heat(percent)};
		}
		return cell_;
	}

private:
	uint64_t total_;
	std::optional<uint64_t> samples_; /**< the count for which cell_ was made */
	Cell cell_;
};

/** The names for the functions of all rows, so that names do not depend on the rows shown. */
ShownNames names_of(const Report &report)
{
	ShownNames names(report.view.names);

	for (const Row &row : report.now.flat.rows)
		add_functions(names, row);
	for (const ComparedRow &one : report.compared)
		add_functions(names, one.row);
	return names;
}

/* Add all events except the first, whose samples already have columns. */
void add_event_columns(Table &table, const Report &report)
{
	const std::vector<std::string> &names = report.now.flat.events.names;

	for (size_t i = 1; i < names.size(); i++)
		table.add_column({shortened(printable(names[i]), event_width) + " %",
				  TableColumn::Kind::Number, rank_events, percent_width});
	for (const Ratio &ratio : report.ratios)
		table.add_column(
			{printable(ratio.name), TableColumn::Kind::Number, rank_ratios, percent_width});
}

void add_event_cells(std::vector<Cell> &cells, const Row &row, const Report &report)
{
	const std::vector<uint64_t> &totals = report.now.flat.events.totals;

	for (size_t i = 1; i < row.events.size(); i++) {
		const double percent = percent_of(row.events[i], totals[i]);

		cells.push_back({hundredths(percent), {}, heat(percent)});
	}
	for (const Ratio &ratio : report.ratios)
		cells.push_back({ratio_text(ratio_of(ratio, row.events))});
}

/** The heading of the counts: samples, or the event if each occurrence is a sample. */
std::string first_heading(const Report &report)
{
	const Flat &flat = report.now.flat;
	const bool each =
		flat.is_count() && is_of_events(report.now.profile) && report.now.profile.period == 1;

	return each ? report.now.profile.period_type.type : std::string(flat.unit());
}

/** Cumulative sums make sense only if the rows are ordered by their samples. */
bool shows_sums(const Report &report)
{
	return !report.order || *report.order == EventOrder(size_t{0});
}

Table flat_table(const Report &report, const Shown &shown)
{
	const Flat &flat = report.now.flat;
	const ShownNames names = names_of(report);
	const std::optional<double> seconds = sample_seconds(report.now);
	Table table;
	std::vector<Cell> cells;
	PercentCells percents(flat.samples);
	uint64_t sum = 0;

	table.add_column({shortened(printable(first_heading(report)), event_width), TableColumn::Kind::Number,
			  rank_last});
	if (seconds)
		table.add_column({"seconds", TableColumn::Kind::Number, rank_seconds});
	table.add_column({"%", TableColumn::Kind::Number, 0, percent_width});
	if (shows_sums(report))
		table.add_column({"sum %", TableColumn::Kind::Number, rank_first, percent_width});
	add_event_columns(table, report);
	for (TableColumn &column : name_columns(flat.columns))
		table.add_column(std::move(column));
	table.reserve(shown.rows.size());
	for (const size_t index : shown.rows) {
		const Row &row = flat.rows[index];

		sum = saturating_add(sum, row.samples);
		cells.clear();
		cells.push_back({grouped(row.samples)});
		if (seconds)
			cells.push_back({hundredths(static_cast<double>(row.samples) * *seconds)});
		cells.push_back(percents.cell(row.samples));
		if (shows_sums(report))
			cells.push_back({hundredths(percent_of(sum, flat.samples))});
		add_event_cells(cells, row, report);
		add_name_cells(cells, row, flat.columns, names);
		table.add_row(cells);
	}
	return table;
}

/* A larger share is red. */
Cell delta_cell(const ComparedValue &one)
{
	const Paint paint = !one.significant() ? Paint::Plain : one.delta() > 0 ? Paint::High : Paint::Low;

	return {fmt::format("{:+.2f}{}", one.delta(), one.significant() ? '*' : ' '), {}, paint};
}

/** The events of a comparison, except the one whose samples have the first columns. */
std::vector<size_t> other_events(const std::vector<CommonEvent> &events)
{
	std::vector<size_t> others;

	for (size_t i = 0; i < events.size(); i++) {
		if (!events[i].is_first())
			others.push_back(i);
	}
	return others;
}

/* With several events, headings name them, and shares of all but the first are left out first. */
void add_comparison_columns(Table &table, const Report &report)
{
	const std::vector<CommonEvent> events = common_events(report);
	const auto named = [&](std::string_view name, const char *what) {
		return fmt::format("{} {}", shortened(printable(name), event_width), what);
	};

	table.add_column({"base %", TableColumn::Kind::Number, rank_first, percent_width});
	table.add_column({"new %", TableColumn::Kind::Number, rank_last, percent_width});
	table.add_column({events.empty() ? "delta " : named(first_heading(report), "delta ")});
	for (const size_t i : other_events(events)) {
		table.add_column({named(events[i].name, "base %"), TableColumn::Kind::Number,
				  rank_other_shares, percent_width});
		table.add_column({named(events[i].name, "new %"), TableColumn::Kind::Number,
				  rank_other_shares, percent_width});
		table.add_column({named(events[i].name, "delta "), TableColumn::Kind::Number,
				  std::min(rank_deltas + static_cast<unsigned>(i), rank_ratios)});
	}
	for (const Ratio &ratio : report.ratios) {
		table.add_column({printable(ratio.name) + " base", TableColumn::Kind::Number,
				  rank_other_shares, percent_width});
		table.add_column({printable(ratio.name) + " new", TableColumn::Kind::Number,
				  rank_other_shares, percent_width});
		table.add_column({printable(ratio.name) + " change %", TableColumn::Kind::Number, rank_ratios,
				  percent_width});
	}
}

void add_comparison_cells(std::vector<Cell> &cells, const ComparedRow &one, const std::vector<size_t> &others,
			  std::span<const Ratio> ratios)
{
	cells.push_back({one.in_base ? fmt::format("{:.2f}", one.base_percent) : "new"});
	cells.push_back({one.in_now ? fmt::format("{:.2f}", one.percent) : "gone"});
	cells.push_back(delta_cell(one));
	for (const size_t i : others) {
		cells.push_back({hundredths(one.events[i].base_percent)});
		cells.push_back({hundredths(one.events[i].percent)});
		cells.push_back(delta_cell(one.events[i]));
	}
	for (const Ratio &ratio : ratios) {
		const ComparedRatio compared = compare_ratio(one, ratio);
		const std::optional<double> change = compared.change();

		cells.push_back({ratio_text(compared.base)});
		cells.push_back({ratio_text(compared.now)});
		cells.push_back({change ? fmt::format("{:+.1f}", *change) : ""});
	}
}

Table comparison_table(const Report &report, const Shown &shown)
{
	const ShownNames names = names_of(report);
	const std::vector<size_t> others = other_events(common_events(report));
	Table table;

	add_comparison_columns(table, report);
	for (TableColumn &column : name_columns(report.now.flat.columns))
		table.add_column(std::move(column));
	for (const size_t index : shown.rows) {
		const ComparedRow &one = report.compared[index];
		std::vector<Cell> cells;

		add_comparison_cells(cells, one, others, report.ratios);
		add_name_cells(cells, one.row, report.now.flat.columns, names);
		table.add_row(cells);
	}
	return table;
}

std::string account(const Reported &one, std::string_view heading)
{
	std::string text;

	for (const std::string &line : profile_accounting_lines(one.profile))
		text += line + '\n';
	return text.empty() ? text : fmt::format("\n{}{}", heading, text);
}

/** The threads with the most samples; empty without --per-thread. */
std::string threads_text(const Reported &one)
{
	constexpr size_t most = 20;
	const About about = from_comments(one.profile.comments);
	uint64_t sum = 0, shown = 0;
	std::string text;

	for (const ThreadTotal &thread : about.threads)
		sum = saturating_add(sum, thread.samples);
	for (const ThreadTotal &thread :
	     std::span(about.threads).first(std::min(most, about.threads.size()))) {
		text += fmt::format("{:>7}  {:>6}  {} (tid {})\n", grouped(thread.samples),
				    hundredths(percent_of(thread.samples, sum)), printable(thread.name),
				    thread.tid);
		shown = saturating_add(shown, thread.samples);
	}
	if (about.threads.size() > most)
		text += fmt::format("... and {}, of {}\n",
				    counted_noun(about.threads.size() - most, "more thread"),
				    counted_noun(sum - shown, "sample"));
	return text.empty() ? text : "\nsamples       %  thread, with its time in the kernel\n" + text;
}

} // namespace

std::string report_table(const Report &report)
{
	const ReportStyle &style = report.style;
	const Shown shown = shown_rows(report);
	std::vector<std::string> left_out;
	std::string text = fitted(header(report), style, Paint::Plain);

	if (!shown.rows.empty()) {
		Rendered rendered =
			render(report.base ? comparison_table(report, shown) : flat_table(report, shown),
			       style.width, style.color, std::move(text) + '\n');

		text = std::move(rendered.text);
		left_out = std::move(rendered.left_out);
	}
	text += fitted(report_notes(report, shown, left_out), style, Paint::Dim);
	text += fitted(threads_text(report.now), style, Paint::Plain);
	text += fitted(account(report.now, ""), style, Paint::Dim);
	if (report.base)
		text += fitted(account(*report.base, "before:\n"), style, Paint::Dim);
	return text;
}

} // namespace cli
