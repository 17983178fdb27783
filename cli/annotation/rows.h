// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/rows.h  The rows of an annotation: samples, percent, bar and text. */
#pragma once

#include "cli/annotation/annotation.h"
#include "cli/annotation/style.h"
#include "cli/base/color.h"
#include "cli/symbols/source_files.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/** Appends rows.  Makes texts safe to print. */
class AnnotationRows {
public:
	/** @param samples of the function, which are 100 %. */
	AnnotationRows(uint64_t samples, const AnnotationStyle &style);

	/** A line of text, or an empty line. */
	void text(std::string_view line, Paint paint = Paint::Plain);
	/** The names of the columns. */
	void heading(std::string_view what);
	/** A row with samples; 0 is shown as blank. */
	void row(uint64_t samples, std::string_view what, Paint paint = Paint::Plain);
	/** Like row(), for something that shares the counter of the row above. */
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

/** "file:line"; @p style says whether with the full path. */
std::string source_name(const SourceLine &source, const AnnotationStyle &style);

/** The text of a line, with blanks for tabs; empty if it is not available. */
std::string source_text(const SourceLine &source, SourceFiles &sources);

/** "12 samples, 3.45 %": @p samples, and their share of @p total. */
std::string percent_text(uint64_t samples, uint64_t total);

/** The samples of each source line, file by file; the files with most samples come first. */
void add_source_listing(AnnotationRows &rows, const Annotation &annotation, SourceFiles &sources,
			const AnnotationStyle &style);

/** The source lines with most samples. */
void add_line_summary(AnnotationRows &rows, const Annotation &annotation, const AnnotationStyle &style);

} // namespace cli
