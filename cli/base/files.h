// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/files.h  Opens files that others name, and reads whole files into strings. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <string>

namespace cli {

/**
 * Open a file for reading, if it is a regular file.  Any other file is opened with O_PATH, for
 * fstat(2) alone: a user can name a device, and opening one may have an effect (/dev/watchdog).
 *
 * @param directory as for openat(2)
 * @param flags O_NOFOLLOW, or 0
 * @return an empty Fd, with errno, if it cannot be opened
 */
Fd open_regular(const std::string &path, int directory = AT_FDCWD, int flags = 0);

/** As open_regular(), for a file that was found with O_PATH; @p file may be empty. */
Fd open_regular(Fd file);

/** Read @p fd to its end; more than @p limit bytes are an error.  @p name is for errors. */
Result<std::string> read_all(int fd, const std::string &name, size_t limit = SIZE_MAX);

/** Read a whole file, in /proc or elsewhere; more than @p limit bytes are an error. */
Result<std::string> read_file(const std::string &path, size_t limit = SIZE_MAX);

} // namespace cli
