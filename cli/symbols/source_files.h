// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/source_files.h  Finds and reads source files by their paths in debug information. */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** In paths that begin with `from`, this part is replaced with `to`, which may be relative. */
struct PathPrefix {
	std::string from;
	std::string to;
};

/** Parse "OLD=NEW". */
Result<PathPrefix> parse_path_prefix(const std::string &text);

/** A source file, split into lines. */
struct SourceFile {
	std::string found; /**< the path where it was found; empty if it cannot be read */
	std::string problem;
	time_t modified = 0; /**< s since 1970 */
	std::vector<std::string> lines;
};

/**
 * Reads source files, each once.
 *
 * Paths come from debug information and profiles, which are not trusted: only
 * regular files are read, up to limits on their size and number.
 */
class SourceFiles {
public:
	static constexpr size_t most_bytes = size_t{16} << 20; /**< in one file */
	static constexpr size_t most_files = 1000;

	/**
	 * @param directories the directories to search for files that are not at their path: below
	 *        each directory, first with the whole path, then with one leading component less at
	 *        a time, down to the file's name.
	 * @param prefixes the first prefix that matches a path is replaced before the search.
	 */
	explicit SourceFiles(std::vector<std::string> directories = {}, std::vector<PathPrefix> prefixes = {})
		: directories_(std::move(directories)), prefixes_(std::move(prefixes))
	{
	}

	/** The file at @p path; if it cannot be read, it has a problem instead of lines. */
	const SourceFile &file(const std::string &path);
	/** The line @p number, counted from 1; nullopt if the file has no such line. */
	std::optional<std::string_view> line(const std::string &path, int64_t number);

private:
	[[nodiscard]] std::vector<std::string> candidates(const std::string &path) const;
	[[nodiscard]] SourceFile read(const std::string &path) const;

	std::vector<std::string> directories_;
	std::vector<PathPrefix> prefixes_;
	std::map<std::string, SourceFile> files_;
};

} // namespace cli
