// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/kept_files.h  The last files of a series. */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <deque>
#include <string>

namespace cli {

/** The files of a series; only the last ones are kept. */
class KeptFiles {
public:
	/** @param most the number of files to keep; 0: all. */
	explicit KeptFiles(uint64_t most) : most_(most) {}

	/** Add a file that was written, and remove the oldest ones beyond the limit. */
	Outcome add(const std::string &path);

private:
	uint64_t most_;
	std::deque<std::string> files_; /* the oldest first */
};

} // namespace cli
