// SPDX-License-Identifier: GPL-2.0-or-later
/** @file colour.h  Colours of a terminal. */
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cli {

/** What --color has. */
enum class ColourWhen { Auto, Always, Never };

/** "auto", "always", "never"; nothing for anything else. */
std::optional<ColourWhen> colour_when(std::string_view text);

/**
 * Is what a descriptor gets to be coloured?  Automatically it is on a terminal,
 * unless that is dumb or NO_COLOR is set (https://no-color.org).
 */
bool wants_colour(ColourWhen when, int fd);

enum class Colour { None, Bold, Dim, Red, Green, Cyan };

/** @p text in a colour, if @p enabled and there is any text. */
std::string coloured(std::string_view text, Colour colour, bool enabled);

} // namespace cli
