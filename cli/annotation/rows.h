// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/rows.h  The lines of an annotation: samples, percent, bar, and what they are of. */
#pragma once

#include "cli/annotation/annotation.h"
#include "cli/annotation/style.h"
#include "cli/base/color.h"
#include "cli/symbols/source_files.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/** Puts rows below one another.  What it is given need not be printable. */
class AnnotationRows {
public:
	/** @param samples of the function: 100 %. */
	AnnotationRows(uint64_t samples, const AnnotationStyle &style);

	/** A line of text; a blank one if it is empty. */
	void text(std::string_view line, Paint paint = Paint::Plain);
	/** The names of the columns. */
	void heading(std::string_view what);
	/** What has samples, or could have some: 0 is left blank. */
	void row(uint64_t samples, std::string_view what, Paint paint = Paint::Plain);
	/** As row(), of something that the row above counts, too. */
	void shared_row(std::string_view what);
	std::string take() { return std::move(text_); }

private:
	void put(std::string_view samples, std::string_view percent, std::string_view bar,
		 std::string_view what, Paint of_numbers, Paint of_what);

	uint64_t total_;
	const AnnotationStyle &style_;
	size_t count_width_;
	std::string text_;
};

/** "file:line", the path as the style has it. */
std::string source_name(const SourceLine &source, const AnnotationStyle &style);

/** The text of a line, with blanks for tabs; empty if it is not to be had. */
std::string source_text(const SourceLine &source, SourceFiles &sources);

/** "12 samples, 3.45 %": of the function. */
std::string percent_text(uint64_t samples, uint64_t total);

/** Samples line by line, each file by itself, those with most samples first. */
void add_source_listing(AnnotationRows &rows, const Annotation &annotation, SourceFiles &sources,
			const AnnotationStyle &style);

/** The lines with most samples. */
void add_line_summary(AnnotationRows &rows, const Annotation &annotation, const AnnotationStyle &style);

} // namespace cli
