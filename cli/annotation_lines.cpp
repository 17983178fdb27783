// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation_rows.h"
#include "cli/saturate.h"
#include "cli/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr size_t most_summary_lines = 20;
/* Fewer lines without instructions than that are shown, as they explain those around them. */
constexpr int64_t most_between = 6;

using Lines = std::map<int64_t, uint64_t>;

struct FileLines {
	std::string file;
	uint64_t samples = 0;
	Lines lines;
};

/** Those with most samples first; what is of no known line is left out. */
std::vector<FileLines> by_file(const Annotation &annotation)
{
	std::map<std::string, FileLines> files;
	std::vector<FileLines> sorted;

	for (const auto &[source, samples] : samples_by_line(annotation)) {
		if (!source.line)
			continue;

		FileLines &file = files[source.file];

		file.file = source.file;
		file.samples = saturating_add(file.samples, samples);
		file.lines[source.line] = samples;
	}
	/* The heading of a function has no instructions if all of it is inlined. */
	if (const auto start = files.find(annotation.start.file); start != files.end()) {
		if (annotation.start.line > 0)
			start->second.lines.try_emplace(annotation.start.line, 0);
	}
	for (auto &[name, file] : files)
		sorted.push_back(std::move(file));
	std::stable_sort(sorted.begin(), sorted.end(),
			 [](const FileLines &a, const FileLines &b) { return a.samples > b.samples; });
	return sorted;
}

uint64_t samples_of_no_line(const Annotation &annotation)
{
	uint64_t sum = 0;

	for (const auto &[source, samples] : samples_by_line(annotation))
		sum = saturating_add(sum, source.line ? 0 : samples);
	return sum;
}

class FileListing {
public:
	FileListing(AnnotationRows &rows, SourceFiles &sources, const FileLines &file)
		: rows_(rows), sources_(sources), file_(file),
		  width_(std::to_string(file.lines.rbegin()->first).size())
	{
	}

	void add()
	{
		int64_t last = 0;

		for (const auto &[number, samples] : file_.lines) {
			if (last && number - last <= most_between && has_text())
				add_between(last, number);
			else if (last && number != last + 1)
				rows_.row(0, "...", Paint::Dim);
			add_line(number, samples);
			last = number;
		}
	}

private:
	bool has_text() { return !sources_.file(file_.file).lines.empty(); }

	void add_between(int64_t after, int64_t before)
	{
		for (int64_t number = after + 1; number < before; number++)
			add_line(number, 0);
	}

	void add_line(int64_t number, uint64_t samples)
	{
		rows_.row(samples, fmt::format("{:>{}}  {}", number, width_,
					       source_text({file_.file, number}, sources_)));
	}

	AnnotationRows &rows_;
	SourceFiles &sources_;
	const FileLines &file_;
	size_t width_;
};

} // namespace

void add_source_listing(AnnotationRows &rows, const Annotation &annotation, SourceFiles &sources,
			const AnnotationStyle &style)
{
	for (const FileLines &file : by_file(annotation)) {
		/* Headers whose functions are inlined everywhere, and were never met. */
		if (!file.samples)
			continue;
		rows.text("");
		rows.heading(style.full_paths ? std::string_view(file.file) : base_name(file.file));
		FileListing(rows, sources, file).add();
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
