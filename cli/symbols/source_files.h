// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/source_files.h  Lines of source files, by the paths in debug information. */
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

/** Paths that begin with @p from are looked up with @p to, which may be relative, in its place. */
struct PathPrefix {
	std::string from;
	std::string to;
};

/** "OLD=NEW"; an error if that is not what it is. */
Result<PathPrefix> parse_path_prefix(const std::string &text);

/** A source file, split into lines. */
struct SourceFile {
	std::string found; /**< where it is; empty if it cannot be read */
	std::string problem;
	time_t modified = 0; /**< s since 1970 */
	std::vector<std::string> lines;
};

/**
 * The sources that were asked for, each read once.
 *
 * Paths come from debug information and profiles, which are not trusted: only
 * regular files are read, up to limits of size and number.
 */
class SourceFiles {
public:
	static constexpr size_t most_bytes = size_t{16} << 20; /**< of one file */
	static constexpr size_t most_files = 1000;

	/**
	 * @param directories where sources are looked for that are not at their
	 *        path: below it the whole path, then ever less of it down to the
	 *        file's name.
	 * @param prefixes the first that fits changes the path before anything else.
	 */
	explicit SourceFiles(std::vector<std::string> directories = {}, std::vector<PathPrefix> prefixes = {})
		: directories_(std::move(directories)), prefixes_(std::move(prefixes))
	{
	}

	/** A file, which has a problem instead of lines if it cannot be read. */
	const SourceFile &file(const std::string &path);
	/** A line, the first is 1; nothing if the file has no such line. */
	std::optional<std::string_view> line(const std::string &path, int64_t number);

private:
	[[nodiscard]] std::vector<std::string> candidates(const std::string &path) const;
	[[nodiscard]] SourceFile read(const std::string &path) const;

	std::vector<std::string> directories_;
	std::vector<PathPrefix> prefixes_;
	std::map<std::string, SourceFile> files_;
};

} // namespace cli
