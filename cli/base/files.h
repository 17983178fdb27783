// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/files.h  Reads whole files into strings. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cli {

/** Read @p fd to its end; more than @p limit bytes are an error.  @p name is for errors. */
Result<std::string> read_all(int fd, const std::string &name, size_t limit = SIZE_MAX);

/** Read a whole file, in /proc or elsewhere; more than @p limit bytes are an error. */
Result<std::string> read_file(const std::string &path, size_t limit = SIZE_MAX);

} // namespace cli
