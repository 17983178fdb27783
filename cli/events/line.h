// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/line.h  Reads the one-line files in which the kernel describes its events. */
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cli {

/** The first line of a file; nullopt if the file cannot be read. */
std::optional<std::string> line_of(const std::string &path);

/** The first line of a file as a number; nullopt if it is not a number. */
std::optional<uint64_t> number_in(const std::string &path);

} // namespace cli
