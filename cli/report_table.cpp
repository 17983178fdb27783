// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/about.h"
#include "cli/characters.h"
#include "cli/report.h"
#include "cli/row_cells.h"
#include "cli/saturate.h"
#include "cli/table.h"
#include "cli/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace cli {
namespace {

/* Ranks of columns: the numbers that others imply go first, names in between. */
constexpr unsigned rank_first = 100;
constexpr unsigned rank_last = 1;
constexpr size_t percent_width = 6;
constexpr size_t unit_width = 12;

/** "FILE: 1,000 samples at 999 Hz in 1.50 s" */
std::string title(const Reported &one)
{
	const Profile &profile = one.profile;
	std::string text =
		fmt::format("{}: {}", files_text(one.files), amount_text(one.flat.samples, one.flat));

	if (profile.period > 0 && profile.period_type.unit == "nanoseconds")
		text += fmt::format(" at {}", rate_text(1e9 / static_cast<double>(profile.period)));
	if (profile.duration_nanos > 0)
		text += fmt::format(" in {}",
				    duration_text(static_cast<double>(profile.duration_nanos) / 1e9));
	return printable(text);
}

std::string header(const Report &report)
{
	const About about = from_comments(report.now.profile.comments);
	std::string text = title(report.now);

	if (report.base)
		text += "\ncompared with " + title(*report.base);
	if (!about.targets.empty())
		text += '\n' + printable(targets_text(about));
	if (!about.granularity.empty())
		text += '\n' + printable(about.granularity);
	return text;
}

/** Each line printable, and broken where it is wider than the terminal. */
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

Cell percent_cell(double percent)
{
	return {fmt::format("{:.2f}", percent), {}, heat(percent)};
}

void append(std::vector<Cell> &cells, std::vector<Cell> more)
{
	cells.insert(cells.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Table flat_table(const Report &report, const Shown &shown)
{
	const Flat &flat = report.now.flat;
	Table table;
	uint64_t sum = 0;

	table.columns = {
		{shortened(printable(flat.unit()), unit_width), TableColumn::Kind::Number, rank_last},
		{"%", TableColumn::Kind::Number, 0, percent_width},
		{"cum %", TableColumn::Kind::Number, rank_first, percent_width}};
	for (TableColumn &column : name_columns(flat.columns))
		table.columns.push_back(std::move(column));
	for (const size_t index : shown.rows) {
		const Row &row = flat.rows[index];

		sum = saturating_add(sum, row.samples);
		table.rows.push_back({{grouped(row.samples)},
				      percent_cell(percent_of(row.samples, flat.samples)),
				      {fmt::format("{:.2f}", percent_of(sum, flat.samples))}});
		append(table.rows.back(), name_cells(row, flat.columns));
	}
	return table;
}

/* More time is bad news. */
Cell delta_cell(const ComparedRow &one)
{
	const Paint paint = !one.significant() ? Paint::Plain : one.delta() > 0 ? Paint::High : Paint::Low;

	return {fmt::format("{:+.2f}{}", one.delta(), one.significant() ? '*' : ' '), {}, paint};
}

Table comparison_table(const Report &report, const Shown &shown)
{
	Table table;

	table.columns = {{"base %", TableColumn::Kind::Number, rank_first, percent_width},
			 {"new %", TableColumn::Kind::Number, rank_last, percent_width},
			 {"delta "}};
	for (TableColumn &column : name_columns(report.now.flat.columns))
		table.columns.push_back(std::move(column));
	for (const size_t index : shown.rows) {
		const ComparedRow &one = report.compared[index];

		table.rows.push_back({{one.base ? fmt::format("{:.2f}", one.base_percent) : "new"},
				      {one.row.samples ? fmt::format("{:.2f}", one.percent) : "gone"},
				      delta_cell(one)});
		append(table.rows.back(), name_cells(one.row, report.now.flat.columns));
	}
	return table;
}

/** "300 samples (30.00 %)" */
std::string share_text(uint64_t samples, const Flat &flat)
{
	return fmt::format("{} ({:.2f} %)", printable(amount_text(samples, flat)),
			   percent_of(samples, flat.samples));
}

std::string not_shown_text(const Report &report, const Shown &shown)
{
	std::string text = fmt::format("... and {}, of {}", counted_noun(shown.more, "more row"),
				       share_text(shown.samples, report.now.flat));

	if (report.base)
		text += fmt::format(", before {}", share_text(shown.base_samples, report.base->flat));
	return text + '\n';
}

std::string filtered_text(const Report &report)
{
	std::string filters;

	for (const Filter &filter : report.view.filters)
		filters += (filters.empty() ? "" : ", ") + printable(filter.text);

	std::string text = share_text(report.now.flat.filtered_out, report.now.flat);

	if (report.base)
		text += fmt::format(", before {}",
				    share_text(report.base->flat.filtered_out, report.base->flat));
	return fmt::format("{} left out by the filter {}\n", text, filters);
}

std::string saturated_text(const Reported &one)
{
	if (!one.flat.saturated)
		return {};
	return printable(fmt::format("{}: sums end at {}, and there are more: its percentages are wrong",
				     files_text(one.files), amount_text(UINT64_MAX, one.flat))) +
	       '\n';
}

/** What there is to know about the rows. */
std::string notes(const Report &report, const Shown &shown, const std::vector<std::string> &left_out)
{
	std::string text;

	if (shown.more)
		text += not_shown_text(report, shown);
	if (!report.view.filters.empty())
		text += filtered_text(report);
	for (size_t i = 0; i < left_out.size(); i++)
		text += (i ? ", " : "no room for: ") + left_out[i];
	text += left_out.empty() ? "" : "\n";
	if (std::any_of(report.compared.begin(), report.compared.end(),
			[](const ComparedRow &one) { return one.significant(); }))
		text += fmt::format("* not by chance: p < {}, corrected for {}\n", significant_below,
				    counted_noun(report.compared.size(), "row"));
	text += saturated_text(report.now);
	if (report.base)
		text += saturated_text(*report.base);
	if (report.now.rates_differ)
		text += "the files' rates differ: a sample is not as much time in each\n";
	return text;
}

std::string account(const Reported &one, std::string_view heading)
{
	std::string text;

	for (const std::string &line : accounting_lines(from_comments(one.profile.comments).accounting))
		text += line + '\n';
	return text.empty() ? text : fmt::format("\n{}{}", heading, text);
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
			       style.width, style.color);

		text += '\n' + rendered.text;
		left_out = std::move(rendered.left_out);
	}
	text += fitted(notes(report, shown, left_out), style, Paint::Dim);
	text += fitted(account(report.now, ""), style, Paint::Dim);
	if (report.base)
		text += fitted(account(*report.base, "before:\n"), style, Paint::Dim);
	return text;
}

} // namespace cli
