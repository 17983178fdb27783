// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/rows.h  The rows of an annotation: samples, percent, bar or events, and text. */
#pragma once

#include "cli/annotation/annotation.h"
#include "cli/annotation/style.h"
#include "cli/base/color.h"
#include "cli/symbols/source_files.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** Appends rows, and makes their text safe to print. */
class AnnotationRows {
public:
	/** @param annotation its counts are 100 %.  It and @p style must outlive this. */
	AnnotationRows(const Annotation &annotation, const AnnotationStyle &style);

	/** A line of text, or an empty line. */
	void text(std::string_view line, Paint paint = Paint::Plain);
	/** The names of the columns. */
	void heading(std::string_view what);
	/** A row with samples, or counts of other events; 0 is shown as blank. */
	void row(const Counts &counts, std::string_view what, Paint paint = Paint::Plain);
	/** A row without counts. */
	void blank(std::string_view what, Paint paint = Paint::Plain) { row({}, what, paint); }
	/** The names of the events whose columns do not fit, or "". */
	[[nodiscard]] const std::string &left_out() const { return left_out_; }
	std::string take() { return std::move(text_); }

private:
	/** Text in a column, and its colour. */
	struct Number {
		std::string text;
		Paint paint = Paint::Plain;
	};

	/** The column of one of several events: each row's share of the function's count. */
	struct EventColumn {
		size_t event; /**< index in Annotation::events */
		size_t width;
	};

	void fit_events();
	bool fit_names(size_t room);
	[[nodiscard]] Number percent(uint64_t count, uint64_t total) const;
	void put(std::string_view samples, const std::vector<Number> &percents, Paint of_samples,
		 std::string_view what, Paint of_what);

	const Annotation &annotation_;
	const AnnotationStyle &style_;
	size_t count_width_;
	std::vector<EventColumn> columns_;
	std::string left_out_;
	std::string text_;
};

/** The counts of the whole function. */
Counts counts_of_all(const Annotation &annotation);

/** "file:line"; the file is a full path if @p style says so. */
std::string source_name(const SourceLine &source, const AnnotationStyle &style);

/** The text of a line, with blanks for tabs; empty if it is not available. */
std::string source_text(const SourceLine &source, SourceFiles &sources);

/** "12 samples, 3.45 %": @p samples, and their share of @p total. */
std::string percent_text(uint64_t samples, uint64_t total);

/** The samples of each source line, file by file; the files with the most samples come first. */
void add_source_listing(AnnotationRows &rows, const Annotation &annotation, SourceFiles &sources,
			const AnnotationStyle &style);

/** The source lines with the most samples. */
void add_line_summary(AnnotationRows &rows, const Annotation &annotation, const AnnotationStyle &style);

} // namespace cli
