// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/gzip.h  The gzip format: written by libdeflate, read by zlib. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

std::string compress(std::string_view plain);

/** Unpack.  More than @p limit bytes are an error: a few megabytes can inflate to gigabytes. */
Result<std::string> decompress(std::string_view packed, size_t limit);

/** True if @p content starts with the magic number of gzip. */
bool is_gzip(std::string_view content);

} // namespace cli
