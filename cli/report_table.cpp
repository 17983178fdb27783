// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/report.h"
#include "cli/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr size_t gap = 2;
constexpr size_t percent_width = 6;
/* On a narrow terminal names are cut, but not to nothing. */
constexpr size_t name_min = 12;
/* Without a terminal no name is cut, but a few long ones must not spread the table. */
constexpr size_t name_column_max = 64;

/** The words of a row, and how wide their columns are. */
struct Words {
	std::string samples;
	std::string address;
	std::string name;
	std::string object;
};

struct Widths {
	size_t samples = 0;
	size_t address = 0;
	size_t name = 0;
	size_t object = 0;
	bool cut = true; /**< names that are longer than their column */
};

Words headings(By by)
{
	switch (by) {
	case By::Object: return {"samples", "", "object", ""};
	case By::Address: return {"samples", "address", "function", "object"};
	default: return {"samples", "", "function", "object"};
	}
}

Words words_of(const Row &row, By by)
{
	if (by == By::Object)
		return {grouped(row.samples), "", printable(row.object), ""};
	return {grouped(row.samples), by == By::Address ? fmt::format("{:#x}", row.address) : "",
		printable(row.function), printable(base_name(row.object))};
}

void widen(Widths &widths, const Words &words)
{
	widths.samples = std::max(widths.samples, columns(words.samples));
	widths.address = std::max(widths.address, columns(words.address));
	widths.name = std::max(widths.name, columns(words.name));
	widths.object = std::max(widths.object, columns(words.object));
}

/* The object may have a third of what is left beside the numbers. */
void fit(Widths &widths, size_t width)
{
	const size_t numbers = widths.samples + 2 * (gap + percent_width) + gap +
			       (widths.address ? widths.address + gap : 0);

	if (!width) {
		widths.name = std::min(widths.name, name_column_max);
		widths.cut = false;
		return;
	}

	const size_t left = std::max(width > numbers ? width - numbers : 0, name_min);

	if (widths.object) {
		const size_t names = left > gap ? left - gap : 0;

		if (widths.name + widths.object <= names)
			return;
		widths.object =
			std::min(widths.object, std::max(names / 3, names - std::min(names, widths.name)));
		widths.name = names - widths.object;
	} else {
		widths.name = std::min(widths.name, left);
	}
}

std::string line(const Words &words, const std::string &percent, const std::string &sum, const Widths &widths)
{
	std::string text = fmt::format("{:>{}}  {:>{}}  {:>{}}  ", words.samples, widths.samples, percent,
				       percent_width, sum, percent_width);

	if (widths.address)
		text += fmt::format("{:>{}}  ", words.address, widths.address);
	text += widths.cut ? shortened(words.name, widths.name) : words.name;
	if (widths.object) {
		text.append(widths.name - std::min(widths.name, columns(words.name)) + gap, ' ');
		text += shortened(words.object, widths.object);
	}
	return text + '\n';
}

/** "python3 (pid 4711) and 3 more" */
std::string targets_text(const About &about)
{
	constexpr size_t most = 3;
	std::string text;

	for (size_t i = 0; i < std::min(about.targets.size(), most); i++)
		text += (i ? ", " : "") + about.targets[i];
	if (about.targets.size() > most)
		text += fmt::format(" and {} more", about.targets.size() - most);
	if (about.processes > about.targets.size())
		text += fmt::format("; {}", counted_noun(about.processes, "process"));
	return text;
}

std::string header(const Profile &profile, const Flat &flat, const About &about, const ReportStyle &style)
{
	std::string text = fmt::format("{}: {}", style.file, counted_noun(flat.samples, "sample"));

	if (profile.period > 0 && profile.period_type.unit == "nanoseconds")
		text += fmt::format(" at {}", rate_text(1e9 / static_cast<double>(profile.period)));
	if (profile.duration_nanos > 0)
		text += fmt::format(" in {}",
				    duration_text(static_cast<double>(profile.duration_nanos) / 1e9));
	if (!about.targets.empty())
		text += '\n' + targets_text(about);
	if (!about.granularity.empty())
		text += '\n' + about.granularity;
	return text;
}

/** Each line printable, and no wider than the terminal. */
std::string fitted(std::string_view text, size_t width)
{
	std::string result;

	while (!text.empty()) {
		const std::string_view one = text.substr(0, text.find('\n'));
		const std::string safe = printable(one);

		result += (width ? shortened(safe, width) : safe) + '\n';
		text.remove_prefix(std::min(one.size() + 1, text.size()));
	}
	return result;
}

std::string table(const Flat &flat, size_t rows, size_t width)
{
	const Words heading = headings(flat.by);
	Widths widths;
	std::string text;
	uint64_t sum = 0;

	widen(widths, heading);
	for (size_t i = 0; i < rows; i++)
		widen(widths, words_of(flat.rows[i], flat.by));
	fit(widths, width);

	text = line(heading, "%", "cum %", widths);
	for (size_t i = 0; i < rows; i++) {
		const Row &row = flat.rows[i];

		sum += row.samples;
		text += line(words_of(row, flat.by),
			     fmt::format("{:.2f}", percent_of(row.samples, flat.samples)),
			     fmt::format("{:.2f}", percent_of(sum, flat.samples)), widths);
	}
	return text;
}

} // namespace

std::string report_table(const Profile &profile, const Flat &flat, const ReportStyle &style)
{
	const About about = from_comments(profile.comments);
	const size_t rows = std::min(flat.rows.size(), style.rows.value_or(flat.rows.size()));
	std::string text = fitted(header(profile, flat, about, style), style.width);

	if (rows)
		text += '\n' + table(flat, rows, style.width);
	if (rows < flat.rows.size())
		text += fmt::format("... and {} more\n", grouped(flat.rows.size() - rows));

	const std::vector<std::string> account = accounting_lines(about.accounting);

	if (!account.empty())
		text += '\n';
	for (const std::string &one : account)
		text += fitted(one, style.width);
	return text;
}

} // namespace cli
