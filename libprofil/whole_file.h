// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/whole_file.h  A file that is written completely, or not at all. */
#pragma once

#include "libprofil/fd.h"

#include <climits>

namespace libprofil {

/**
 * Written as PATH.PID.part, and renamed to PATH once it is complete.  A symbolic link at PATH is not
 * followed.
 */
class WholeFile {
public:
	/** @return 0, or an errno value. */
	[[nodiscard]] int create(const char *path);
	[[nodiscard]] int fd() const { return file_.get(); }
	/**
	 * Give the file its name; or remove it, if writing it has failed.
	 * @param error of writing, or 0.
	 * @return 0, or an errno value.
	 */
	[[nodiscard]] int finish(int error);

private:
	const char *path_ = nullptr;
	char part_[PATH_MAX] = {};
	Fd file_;
};

} // namespace libprofil
