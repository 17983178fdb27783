// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/output_file.h  A file that is written as a whole or not at all. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <string>
#include <string_view>

namespace cli {

/**
 * Where the profile goes.
 *
 * A regular file is written under a temporary name beside it and renamed, so
 * that nobody ever sees half of it.  Devices and pipes are written as they are;
 * "-" is standard output, unless that is a terminal.
 */
class OutputFile {
public:
	/** Find out now whether it can be written, and leave no trace. */
	static Result<OutputFile> prepare(const std::string &path);

	/** Write all of it; when that fails, what was there before is untouched. */
	[[nodiscard]] Outcome write(std::string_view content) const;
	/** As the user gave it, or in words. */
	[[nodiscard]] const std::string &path() const { return path_; }

private:
	explicit OutputFile(std::string path) : path_(std::move(path)) {}
	Outcome find_regular();
	Outcome open_special();
	Outcome take_standard_output();
	[[nodiscard]] Outcome replace(std::string_view content) const;

	std::string path_;
	std::string real_;     /**< without symbolic links; empty if special */
	unsigned mode_ = 0666; /**< of the file to be written */
	Fd special_;
};

} // namespace cli
