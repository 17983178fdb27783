// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/number.h  Numbers in text. */
#pragma once

#include <charconv>
#include <cstring>

namespace libprofil {

/**
 * The decimal number that a text begins with.
 *
 * It replaces strtol(), which the headers of glibc 2.38 and later turn into a call of
 * __isoc23_strtol().  The static archive is also linked with other C libraries, which do not
 * have that function.
 *
 * @param[out] rest  receives the text after the number, unless null
 * @return the number, or 0 if the text does not begin with one
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
