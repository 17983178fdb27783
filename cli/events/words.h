// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/words.h  Splits the text that chooses an event. */
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

/**
 * Remove from @p text the part before the first @p separator, and the separator itself.
 * @return the part before the separator; all of the text if there is no separator
 */
std::string_view take_until(std::string_view &text, char separator);

/** The hexadecimal number @p text, with or without "0x"; nullopt if @p text is anything else. */
std::optional<uint64_t> hexadecimal(std::string_view text);

} // namespace cli
