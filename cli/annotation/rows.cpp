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
/* On a narrow terminal, the text of a row is cut to no less than this. */
constexpr size_t what_min = 24;
constexpr size_t tab = 8;

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

AnnotationRows::AnnotationRows(uint64_t samples, const AnnotationStyle &style)
	: total_(samples), style_(style), count_width_(std::max<size_t>(grouped(samples).size(), 7))
{
}

void AnnotationRows::text(std::string_view line, Paint paint)
{
	const std::string safe = printable(line);

	text_ += painted(style_.width ? shortened(safe, style_.width) : safe, paint, style_.color) + '\n';
}

void AnnotationRows::put(std::string_view samples, std::string_view percent, std::string_view bar,
			 std::string_view what, Paint of_numbers, Paint of_what)
{
	const std::string numbers = fmt::format("{:>{}}  {:>{}}  {:<{}}", samples, count_width_, percent,
						percent_width, bar, bar_width);
	const std::string safe = printable(what);
	const size_t left = style_.width > numbers.size() + gap ? style_.width - numbers.size() - gap : 0;
	std::string line = painted(numbers, of_numbers, style_.color) + std::string(gap, ' ') +
			   painted(style_.width ? shortened(safe, std::max(left, what_min)) : safe, of_what,
				   style_.color);

	line.erase(line.find_last_not_of(' ') + 1);
	text_ += line + '\n';
}

void AnnotationRows::heading(std::string_view what)
{
	put("samples", "%", "", what, Paint::Plain, Paint::Plain);
}

void AnnotationRows::row(uint64_t samples, std::string_view what, Paint paint)
{
	const double percent = percent_of(samples, total_);

	if (samples)
		put(grouped(samples), fmt::format("{:.2f}", percent), bar_of(percent), what, heat(percent),
		    paint);
	else
		put("", "", "", what, Paint::Plain, paint);
}

void AnnotationRows::shared_row(std::string_view what)
{
	put("\"", "", "", what, Paint::Plain, Paint::Plain);
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
