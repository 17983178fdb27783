// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/characters.h  UTF-8: characters, their columns on a terminal, and text that is safe to
 * print. */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The length in bytes of the UTF-8 sequence at the start of @p text; 0 if it is invalid. */
size_t sequence_length(std::string_view text);

/** The UTF-8 sequence at the start of @p text, or its first byte if that is invalid. */
std::string_view first_character(std::string_view text);

/** Columns of one character: 2 if it is wide, 0 if it combines. */
size_t character_columns(std::string_view character);

/** The longest prefix of at most @p width columns. */
std::string_view fitting(std::string_view text, size_t width);

/**
 * Lines of at most @p width columns (0: one line), broken at spaces where
 * possible; all lines except the first are indented.
 */
std::vector<std::string> wrapped(std::string_view text, size_t width);

/** Columns of UTF-8 text on a terminal: 2 for a wide character, 0 for one that combines. */
size_t columns(std::string_view text);

/** @p text cut to @p width columns; if anything is cut off, the last column is an ellipsis. */
std::string shortened(std::string_view text, size_t width);

/**
 * @p text, safe to print: control characters and invalid UTF-8 become '?'.
 *
 * Names come from other people's binaries and profiles, and could move the
 * cursor or worse.
 */
std::string printable(std::string_view text);

/** @p text with each byte of invalid UTF-8 replaced with '?'. */
std::string valid_utf8(std::string_view text);

/** The lines of @p text, without their line ends. */
std::vector<std::string> split_lines(std::string_view text);

/** The part after the last slash; all of @p path if nothing follows it. */
std::string_view base_name(std::string_view path);

} // namespace cli
