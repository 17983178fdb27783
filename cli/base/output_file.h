// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/output_file.h  A file that is written completely or not at all. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <string>
#include <string_view>

namespace cli {

/**
 * The file that a profile is written to.
 *
 * A regular file is written under a temporary name next to it and renamed, so no reader ever sees
 * half of it.  Devices and pipes are written directly; "-" is standard output, which must not be a
 * terminal.
 */
class OutputFile {
public:
	/** Check that @p path can be written, without changing anything. */
	static Result<OutputFile> prepare(const std::string &path);

	/** What to do with an existing regular file. */
	enum class Before { Replaced, Kept /**< under its name with ".old" appended */ };

	/**
	 * Whether write() waits until the content is on the disk.  A file that need not survive a
	 * crash of the machine can do without.
	 */
	enum class Sync { Now, Later };

	/** Write all of @p content; if that fails, an existing regular file is unchanged. */
	[[nodiscard]] Outcome write(std::string_view content, Before before = Before::Replaced,
				    Sync sync = Sync::Now) const;
	/** True for a regular file; false for a device or a pipe. */
	[[nodiscard]] bool is_regular() const { return !real_.empty(); }
	/** Prepare a file next to this regular file, with @p suffix appended to the name. */
	[[nodiscard]] Result<OutputFile> beside(const std::string &suffix) const;
	/** Remove this regular file, if it exists. */
	[[nodiscard]] Outcome remove() const;
	/** The path as the user gave it, or "standard output". */
	[[nodiscard]] const std::string &path() const { return path_; }

private:
	explicit OutputFile(std::string path) : path_(std::move(path)) {}
	Outcome find_regular();
	Outcome open_special();
	Outcome take_standard_output();
	[[nodiscard]] Outcome keep_old() const;
	[[nodiscard]] Outcome replace(std::string_view content, Before before, Sync sync) const;

	std::string path_;
	std::string real_;     /**< the path without symbolic links; empty for a device or a pipe */
	unsigned mode_ = 0666; /**< permissions of the new file */
	Fd special_;
};

} // namespace cli
