// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/line.h  Files of a line each, in which the kernel shows its events. */
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cli {

/** The first line of a file, if there is such a file. */
std::optional<std::string> line_of(const std::string &path);

/** The number that this line is, if it is one. */
std::optional<uint64_t> number_in(const std::string &path);

} // namespace cli
