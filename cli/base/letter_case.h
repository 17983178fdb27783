// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/letter_case.h  Lower case for ASCII letters, independent of the locale. */
#pragma once

#include <string>
#include <string_view>

namespace cli {

/** 'a' for 'A'; anything else is unchanged. */
constexpr char lower_case(char c)
{
	return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/** "abc" for "ABC". */
inline std::string lower_case(std::string_view text)
{
	std::string lower(text);

	for (char &c : lower)
		c = lower_case(c);
	return lower;
}

} // namespace cli
