// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/words.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace cli {

std::string_view take_until(std::string_view &text, char separator)
{
	const std::string_view part = text.substr(0, text.find(separator));

	text.remove_prefix(std::min(part.size() + 1, text.size()));
	return part;
}

std::optional<uint64_t> hexadecimal(std::string_view text)
{
	constexpr int base = 16;

	if (text.starts_with("0x"))
		text.remove_prefix(2);

	uint64_t number = 0;
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);

	return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
									: std::nullopt;
}

} // namespace cli
