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
			rows.row(0, "...", Paint::Dim);
		rows.row(line.samples, fmt::format("{:>{}}  {}", line.number, width, line.text));
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
	if (const uint64_t samples = samples_of_no_line(annotation)) {
		rows.text("");
		rows.row(samples, "of no known line");
	}
	rows.row(annotation.samples, "all samples of the function");
}

void add_line_summary(AnnotationRows &rows, const Annotation &annotation, const AnnotationStyle &style)
{
	std::vector<std::pair<SourceLine, uint64_t>> lines;

	for (const auto &[source, samples] : samples_by_line(annotation)) {
		if (source.line && samples)
			lines.emplace_back(source, samples);
	}
	std::stable_sort(lines.begin(), lines.end(),
			 [](const auto &a, const auto &b) { return a.second > b.second; });
	rows.text("");
	rows.heading("line");
	for (size_t i = 0; i < std::min(lines.size(), most_summary_lines); i++)
		rows.row(lines[i].second, source_name(lines[i].first, style));
	if (lines.size() > most_summary_lines)
		rows.text(fmt::format("... and {} more", grouped(lines.size() - most_summary_lines)));
}

} // namespace cli
