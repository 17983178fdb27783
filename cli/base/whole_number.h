// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/whole_number.h  Parses text that is a decimal number and nothing else. */
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace cli {

/** @p text as a decimal number; nullopt if it contains anything else, or does not fit in Number. */
template <typename Number> std::optional<Number> whole_number(std::string_view text)
{
	Number number = 0;
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);

	if (error != std::errc() || end != text.data() + text.size())
		return std::nullopt;
	return number;
}

} // namespace cli
