// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/text.h  Questions about a text. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace support {

inline bool has(const std::string &text, const std::string &part)
{
	return text.find(part) != std::string::npos;
}

/** The number of lines. */
inline size_t lines(const std::string &text)
{
	return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace support
