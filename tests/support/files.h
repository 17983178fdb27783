// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/files.h  The files that a recording leaves in a directory. */
#pragma once

#include "tests/support/programs.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace support {

/** The paths of all files in a directory, in ascending order. */
inline std::vector<std::string> files_in(const TemporaryDirectory &directory)
{
	std::set<std::string> files;

	for (const auto &entry : std::filesystem::directory_iterator(directory / ""))
		files.insert(entry.path());
	return {files.begin(), files.end()};
}

} // namespace support
