// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/source_listing.h"

#include "cli/annotation/rows.h"

#include <algorithm>
#include <map>

namespace cli {
namespace {

/* Shorter gaps are filled: lines without instructions explain the lines around them. */
constexpr int64_t most_between = 6;

using Lines = std::map<int64_t, Counts>;

struct FileLines {
	std::string file;
	Counts counts;
	Lines lines;
};

/** The lines of each file, the files with the most samples first; unknown lines are left out. */
std::vector<FileLines> by_file(const Annotation &annotation)
{
	std::map<std::string, FileLines> files;
	std::vector<FileLines> sorted;

	for (const auto &[source, counts] : counts_by_line(annotation)) {
		if (!source.line)
			continue;

		FileLines &file = files[source.file];

		file.file = source.file;
		file.counts.add(counts);
		file.lines[source.line] = counts;
	}
	/* The first line of a function has no instructions if it is inlined everywhere. */
	if (const auto start = files.find(annotation.start.file); start != files.end()) {
		if (annotation.start.line > 0)
			start->second.lines.try_emplace(annotation.start.line);
	}
	for (auto &[name, file] : files)
		sorted.push_back(std::move(file));
	std::stable_sort(sorted.begin(), sorted.end(), [](const FileLines &a, const FileLines &b) {
		return a.counts.samples > b.counts.samples;
	});
	return sorted;
}

/** Add the lines between known lines that are close together, and @p context lines around each. */
void add_neighbours(Lines &lines, int64_t last_of_file, int64_t context)
{
	const Lines known = lines;
	int64_t last = 0;

	for (const auto &[number, counts] : known) {
		const bool near = last && number - last <= std::max(most_between, 2 * context + 1);
		const int64_t from = near ? last + 1 : std::max<int64_t>(number - context, 1);

		for (int64_t line = from; line < number; line++)
			lines.try_emplace(line);
		for (int64_t line = number + 1; line <= number + context && line <= last_of_file; line++)
			lines.try_emplace(line);
		last = number;
	}
}

ListedFile listed(FileLines file, SourceFiles &sources, int64_t context)
{
	const auto last_of_file = static_cast<int64_t>(sources.file(file.file).lines.size());
	ListedFile result{file.file, file.counts.samples, {}};

	if (last_of_file)
		add_neighbours(file.lines, last_of_file, context);
	for (const auto &[number, counts] : file.lines)
		result.lines.push_back(
			{number, counts.samples, counts.events, source_text({file.file, number}, sources)});
	return result;
}

} // namespace

Counts counts_of_no_line(const Annotation &annotation)
{
	Counts sum;

	for (const auto &[source, counts] : counts_by_line(annotation)) {
		if (!source.line)
			sum.add(counts);
	}
	return sum;
}

std::vector<ListedFile> source_listing(const Annotation &annotation, SourceFiles &sources, int64_t context)
{
	std::vector<ListedFile> files;

	for (FileLines &file : by_file(annotation)) {
		/* Skip headers with inlined functions that have no samples. */
		if (file.counts.any())
			files.push_back(listed(std::move(file), sources, context));
	}
	return files;
}

} // namespace cli
