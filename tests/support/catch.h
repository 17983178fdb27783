// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/catch.h  Catch2 3, or Catch2 2 with the names of version 3. */
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp> // IWYU pragma: export

using Catch::Approx;
#else
#include <catch2/catch.hpp> // IWYU pragma: export

namespace Catch {
#ifdef CATCH_CONFIG_EXTERNAL_INTERFACES
using EventListenerBase = TestEventListenerBase;
#endif

namespace Matchers {
inline StdString::ContainsMatcher ContainsSubstring(const std::string &text)
{
	return Contains(text);
}
} // namespace Matchers
} // namespace Catch
#endif
