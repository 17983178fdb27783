// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/rows.h"
#include "cli/annotation/source_listing.h"
#include "cli/base/characters.h"
#include "cli/base/numbers.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr size_t most_summary_lines = 20;

void add_file(AnnotationRows &rows, const ListedFile &file)
{
	const size_t width = std::to_string(file.lines.back().number).size();
	int64_t last = 0;

	for (const ListedLine &line : file.lines) {
		if (last && line.number != last + 1)
			rows.blank("...", Paint::Dim);
		rows.row(counts_of(line), fmt::format("{:>{}}  {}", line.number, width, line.text));
		last = line.number;
	}
}

} // namespace

void add_source_listing(AnnotationRows &rows, const Annotation &annotation, SourceFiles &sources,
			const AnnotationStyle &style)
{
	for (const ListedFile &file : source_listing(annotation, sources)) {
		rows.text("");
		rows.heading(style.full_paths ? std::string_view(file.file) : base_name(file.file));
		add_file(rows, file);
	}
	if (const Counts counts = counts_of_no_line(annotation); counts.any()) {
		rows.text("");
		rows.row(counts, "on unknown lines");
	}
	rows.row(counts_of_all(annotation), "all samples of the function");
}

void add_line_summary(AnnotationRows &rows, const Annotation &annotation, const AnnotationStyle &style)
{
	std::vector<std::pair<SourceLine, Counts>> lines;

	for (const auto &[source, counts] : counts_by_line(annotation)) {
		if (source.line && counts.any())
			lines.emplace_back(source, counts);
	}
	std::stable_sort(lines.begin(), lines.end(),
			 [](const auto &a, const auto &b) { return a.second.samples > b.second.samples; });
	rows.text("");
	rows.heading("line");
	for (size_t i = 0; i < std::min(lines.size(), most_summary_lines); i++)
		rows.row(lines[i].second, source_name(lines[i].first, style));
	if (lines.size() > most_summary_lines)
		rows.text(fmt::format("... and {} more", grouped(lines.size() - most_summary_lines)));
}

} // namespace cli
