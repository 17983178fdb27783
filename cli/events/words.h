// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/words.h  Takes apart the text that chooses an event. */
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

/**
 * Removes from @p text the part before the first @p separator, and the separator itself.
 * @return that part; all of the text if it has no separator
 */
std::string_view take_until(std::string_view &text, char separator);

/** The hexadecimal number in @p text, with or without "0x"; nothing if @p text has anything else. */
std::optional<uint64_t> hexadecimal(std::string_view text);

} // namespace cli
