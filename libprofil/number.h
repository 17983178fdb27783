// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/number.h  Numbers in text. */
#pragma once

#include <charconv>
#include <cstring>

namespace libprofil {

/**
 * The decimal number that a text begins with.
 *
 * Not strtol(): compiled with glibc 2.38 or later that is a function which no other C library
 * has, and the static archive serves those, too.
 *
 * @param[out] rest  what follows it, unless null
 * @return 0 if there is none
 */
inline long number_at(const char *text, const char **rest = nullptr)
{
	long number = 0;
	const std::from_chars_result result = std::from_chars(text, text + strlen(text), number);

	if (rest)
		*rest = result.ptr;
	return number;
}

} // namespace libprofil
