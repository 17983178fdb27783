// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/rows.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/rows/flat.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr size_t percent_width = 6;
constexpr size_t bar_width = 10;
constexpr size_t gap = 2;
/* Even a narrow terminal shows this many columns of a row's text. */
constexpr size_t what_min = 24;
constexpr size_t tab = 8;
/* With several events, their names are cut to leave this many columns for a row's text. */
constexpr size_t event_what_wanted = 36;
constexpr size_t event_width_max = 18;
constexpr size_t event_width_min = 9;
constexpr std::string_view share_mark = " %";

std::string bar_of(double percent)
{
	const double marks = std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(bar_width);

	return std::string(static_cast<size_t>(std::lround(marks)), '#');
}

std::string without_tabs(std::string_view line)
{
	std::string text;
	size_t column = 0;

	for (const char c : line) {
		const size_t blanks = tab - column % tab;

		text += c == '\t' ? std::string(blanks, ' ') : std::string(1, c);
		column += c == '\t' ? blanks : 1;
	}
	return text;
}

} // namespace

AnnotationRows::AnnotationRows(const Annotation &annotation, const AnnotationStyle &style)
	: annotation_(annotation), style_(style),
	  count_width_(std::max<size_t>(grouped(annotation.samples).size(), 7))
{
	fit_events();
}

/* Cut the names of events first, the longest ones most; then leave out the last events. */
void AnnotationRows::fit_events()
{
	const size_t other = count_width_ + event_what_wanted + gap;
	const size_t room = style_.width ? style_.width - std::min(style_.width, other) : SIZE_MAX;

	for (size_t i = 0; i < annotation_.events.size(); i++) {
		if (annotation_.events[i].count)
			columns_.push_back({i, 0});
	}
	while (!fit_names(room) && columns_.size() > 1) {
		left_out_ = annotation_.events[columns_.back().event].name +
			    (left_out_.empty() ? "" : ", " + left_out_);
		columns_.pop_back();
	}
}

/** Choose the widths of the events' columns.  @return false if they do not fit. */
bool AnnotationRows::fit_names(size_t room)
{
	const auto narrower = [](const EventColumn &a, const EventColumn &b) { return a.width < b.width; };
	size_t needed = 0;

	for (EventColumn &column : columns_) {
		column.width = std::clamp(columns(annotation_.events[column.event].name) + share_mark.size(),
					  percent_width, event_width_max);
		needed += gap + column.width;
	}
	for (; needed > room; needed--) {
		const auto widest = std::max_element(columns_.begin(), columns_.end(), narrower);

		if (widest->width <= event_width_min)
			return false;
		widest->width--;
	}
	return true;
}

void AnnotationRows::text(std::string_view line, Paint paint)
{
	const std::string safe = printable(line);

	text_ += painted(style_.width ? shortened(safe, style_.width) : safe, paint, style_.color) + '\n';
}

AnnotationRows::Number AnnotationRows::percent(uint64_t count, uint64_t total) const
{
	const double percent = percent_of(count, total);

	return count ? Number{fmt::format("{:.2f}", percent), heat(percent)} : Number{};
}

void AnnotationRows::put(std::string_view samples, const std::vector<Number> &percents, Paint of_samples,
			 std::string_view what, Paint of_what)
{
	std::string numbers = painted(fmt::format("{:>{}}", samples, count_width_), of_samples, style_.color);
	size_t width = count_width_;
	const auto add = [&](std::string_view text, size_t least, Paint paint) {
		const size_t blanks = least - std::min(least, columns(text));

		numbers += std::string(gap + blanks, ' ') + painted(std::string(text), paint, style_.color);
		width += gap + blanks + columns(text);
	};

	if (columns_.empty()) {
		const std::string &bar = percents[1].text;

		add(percents[0].text, percent_width, percents[0].paint);
		add(bar + std::string(bar_width - bar.size(), ' '), bar_width, percents[1].paint);
	}
	for (size_t i = 0; i < columns_.size(); i++)
		add(percents[i].text, columns_[i].width, percents[i].paint);

	const std::string safe = printable(what);
	const size_t left = style_.width > width + gap ? style_.width - width - gap : 0;
	std::string line = numbers + std::string(gap, ' ') +
			   painted(style_.width ? shortened(safe, std::max(left, what_min)) : safe, of_what,
				   style_.color);

	line.erase(line.find_last_not_of(' ') + 1);
	text_ += line + '\n';
}

void AnnotationRows::heading(std::string_view what)
{
	std::vector<Number> percents;

	for (const EventColumn &column : columns_)
		percents.push_back({shortened(printable(annotation_.events[column.event].name),
					      column.width - share_mark.size()) +
				    std::string(share_mark)});
	if (columns_.empty())
		percents = {{"%"}, {""}};
	put("samples", percents, Paint::Plain, what, Paint::Plain);
}

void AnnotationRows::row(const Counts &counts, std::string_view what, Paint paint)
{
	const double share = percent_of(counts.samples, annotation_.samples);
	std::vector<Number> percents;

	for (const EventColumn &column : columns_)
		percents.push_back(percent(counts.events.empty() ? 0 : counts.events[column.event],
					   annotation_.events[column.event].count));
	if (columns_.empty())
		percents = {percent(counts.samples, annotation_.samples), {bar_of(share), heat(share)}};
	put(counts.samples ? grouped(counts.samples) : "", percents, heat(share), what, paint);
}

Counts counts_of_all(const Annotation &annotation)
{
	Counts all{annotation.samples};

	for (const AnnotatedEvent &event : annotation.events)
		all.events.push_back(event.count);
	return all;
}

std::string source_name(const SourceLine &source, const AnnotationStyle &style)
{
	return fmt::format("{}:{}", style.full_paths ? source.file : base_name(source.file), source.line);
}

std::string source_text(const SourceLine &source, SourceFiles &sources)
{
	return without_tabs(sources.line(source.file, source.line).value_or(""));
}

std::string percent_text(uint64_t samples, uint64_t total)
{
	return fmt::format("{}, {:.2f} %", counted_noun(samples, "sample"), percent_of(samples, total));
}

} // namespace cli
