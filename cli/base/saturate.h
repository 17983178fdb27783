// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/saturate.h  Saturating addition, because counts in files can have any value. */
#pragma once

#include <concepts>
#include <limits>

namespace cli {

/** @p a + @p b, or the nearest limit of T if the sum overflows. */
template <std::integral T> constexpr T saturating_add(T a, T b)
{
	T sum = 0;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
}

} // namespace cli
