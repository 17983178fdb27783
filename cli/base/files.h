// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/files.h  Whole files as strings. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cli {

/** All that a descriptor has to read, at most @p limit bytes; @p name is for errors. */
Result<std::string> read_all(int fd, const std::string &name, size_t limit = SIZE_MAX);

/** A whole file of /proc or elsewhere, at most @p limit bytes. */
Result<std::string> read_file(const std::string &path, size_t limit = SIZE_MAX);

} // namespace cli
