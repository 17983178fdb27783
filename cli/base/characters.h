// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/characters.h  UTF-8, and the columns that it takes on a terminal. */
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

} // namespace cli
