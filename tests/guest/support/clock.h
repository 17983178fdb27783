// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/clock.h  For tests of one clock, independent of the clock that the guest
 * was booted with.
 */
#pragma once

#include "tests/guest/support/guest.h"

#include <catch2/catch.hpp>

#include <string>

namespace guest {

/** Loads the module with another clock, and reloads it as it was at the end. */
class Clock {
public:
	explicit Clock(const std::string &name)
	{
		need_that(soon([] { return !unload_module(); }), "the module is not in use");
		need_that(!load_module("clock=" + name), "the module loads with another clock");
	}
	Clock(const Clock &) = delete;
	Clock &operator=(const Clock &) = delete;
	~Clock()
	{
		CHECK(soon([] { return !unload_module(); }));
		CHECK(load_module() == 0);
	}
};

} // namespace guest
