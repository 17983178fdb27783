// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/characters.h  UTF-8: characters, the columns they take on a terminal, and text that is safe
 * to print. */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** Bytes of the UTF-8 sequence at the start of @p text, 0 if it is not one. */
size_t sequence_length(std::string_view text);

/** The sequence at the start of @p text, or the byte that is none. */
std::string_view first_character(std::string_view text);

/** Columns of one: two for a wide character, none for one that combines. */
size_t character_columns(std::string_view character);

/** As much of the beginning as takes at most @p width columns. */
std::string_view fitting(std::string_view text, size_t width);

/**
 * Lines of at most @p width columns (0: one line), broken at spaces where there
 * are any, all but the first indented.
 */
std::vector<std::string> wrapped(std::string_view text, size_t width);

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

} // namespace cli
