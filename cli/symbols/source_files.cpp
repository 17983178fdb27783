// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/source_files.h"

#include "cli/base/characters.h"
#include "cli/base/fd.h"
#include "cli/base/files.h"

#include <algorithm>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace cli {
namespace {

/* The most columns of a path longer than PATH_MAX to show. */
constexpr size_t longest_shown = 60;

std::vector<std::string> split_lines(std::string_view content)
{
	std::vector<std::string> lines;

	while (!content.empty()) {
		std::string_view line = content.substr(0, content.find('\n'));

		content.remove_prefix(std::min(line.size() + 1, content.size()));
		if (line.ends_with('\r'))
			line.remove_suffix(1);
		lines.emplace_back(line);
	}
	return lines;
}

/** True if @p path begins with @p prefix, up to the end of a component. */
bool begins_with(std::string_view path, std::string_view prefix)
{
	return path.starts_with(prefix) &&
	       (path.size() == prefix.size() || prefix.ends_with('/') || path[prefix.size()] == '/');
}

Result<SourceFile> read_source(const std::string &path)
{
	const Fd file = open_regular(path);
	struct stat about;
	SourceFile source;

	if (!file || fstat(file.get(), &about))
		return system_error(path);
	if (!S_ISREG(about.st_mode))
		return Error{path + ": not a regular file"};

	const Result<std::string> content = read_all(file.get(), path, SourceFiles::most_bytes);

	if (!content)
		return content.error();
	source.found = path;
	source.modified = about.st_mtime;
	source.lines = split_lines(*content);
	return source;
}

} // namespace

Result<PathPrefix> parse_path_prefix(const std::string &text)
{
	const size_t equals = text.find('=');

	if (equals == text.npos || equals == 0)
		return Error{fmt::format("'{}' is not OLD=NEW", text)};
	return PathPrefix{text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> SourceFiles::candidates(const std::string &path) const
{
	std::string mapped = path;
	bool findable = path.starts_with('/');

	for (const PathPrefix &prefix : prefixes_) {
		if (begins_with(path, prefix.from)) {
			mapped = prefix.to + path.substr(prefix.from.size());
			findable = true;
			break;
		}
	}

	std::string below = std::filesystem::path(mapped).lexically_normal();
	std::vector<std::string> paths;

	/* The directory that a relative path in debug information belongs to is not known. */
	if (findable)
		paths.push_back(mapped);
	below.erase(0, below.find_first_not_of('/'));
	for (const std::string &directory : directories_) {
		for (size_t start = 0;; start = below.find('/', start) + 1) {
			paths.push_back(directory + '/' + below.substr(start));
			if (below.find('/', start) == below.npos)
				break;
		}
	}
	return paths;
}

SourceFile SourceFiles::read(const std::string &path) const
{
	SourceFile missing;

	/* Each slash of a long path would add another candidate of about the same length. */
	if (path.size() >= PATH_MAX) {
		missing.problem =
			system_error(shortened(path.substr(0, NAME_MAX), longest_shown), ENAMETOOLONG).text;
		return missing;
	}
	for (const std::string &candidate : candidates(path)) {
		Result<SourceFile> source = read_source(candidate);

		if (source)
			return *std::move(source);
		if (missing.problem.empty())
			missing.problem = source.error().text;
	}
	if (missing.problem.empty())
		missing.problem = path + ": a relative path";
	return missing;
}

const SourceFile &SourceFiles::file(const std::string &path)
{
	static const SourceFile too_many{"", "too many source files", 0, {}};
	const auto place = files_.find(path);

	if (place != files_.end())
		return place->second;
	if (files_.size() >= most_files)
		return too_many;
	return files_.emplace(path, read(path)).first->second;
}

std::optional<std::string_view> SourceFiles::line(const std::string &path, int64_t number)
{
	const SourceFile &source = file(path);

	if (number < 1 || static_cast<uint64_t>(number) > source.lines.size())
		return std::nullopt;
	return source.lines[static_cast<size_t>(number) - 1];
}

} // namespace cli
