// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/text.h  Numbers and names as a terminal shows them. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** 1234567 as "1,234,567". */
std::string grouped(uint64_t number);

/** A number with two decimals. */
std::string hundredths(double number);

/** "1 sample", "2 samples": @p number grouped, with its noun. */
std::string counted_noun(uint64_t number, std::string_view noun);

/** "4.0 KiB", "21.3 MiB". */
std::string bytes_text(uint64_t bytes);

/** "0.25 s", "12.3 s", "1 min 23 s", "2 h 05 min". */
std::string duration_text(double seconds);

/** A rate in Hz: "999 Hz", "0.5 Hz". */
std::string rate_text(double hz);

/** Hexadecimal digits of some bytes. */
std::string hex(std::string_view bytes);

/** Columns that UTF-8 takes on a terminal: two for a wide character, none for one that combines. */
size_t columns(std::string_view text);

/** Cut to a number of columns, the last being an ellipsis where something is cut off. */
std::string shortened(std::string_view text, size_t width);

/**
 * Safe to print: control characters and what is not UTF-8 become '?'.
 *
 * Names come out of other people's binaries and profiles, and could move the
 * cursor or worse.
 */
std::string printable(std::string_view text);

/** The same text if it is UTF-8; what is not becomes '?'. */
std::string valid_utf8(std::string_view text);

/** Its lines, without their ends. */
std::vector<std::string> split_lines(std::string_view text);

/** What follows the last slash; the whole when nothing does. */
std::string_view base_name(std::string_view path);

/** Columns of the terminal behind a descriptor; 0 if there is none. */
size_t terminal_width(int fd);

/** All that a descriptor has to read, at most @p limit bytes; @p name is for errors. */
Result<std::string> read_all(int fd, const std::string &name, size_t limit = SIZE_MAX);

/** A whole file of /proc or elsewhere, at most @p limit bytes. */
Result<std::string> read_file(const std::string &path, size_t limit = SIZE_MAX);

} // namespace cli
