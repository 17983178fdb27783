// SPDX-License-Identifier: GPL-2.0-or-later
// For tests of one clock, whichever the guest was booted with.
#pragma once

#include "tests/guest/support/guest.h"

#include <catch2/catch.hpp>

#include <string>

namespace guest {

// The module with another clock, and at the end as it was.
class Clock {
public:
	explicit Clock(const std::string &name)
	{
		need_that(soon([] { return !unload_module(); }), "the module is not in use");
		need_that(!load_module("clock=" + name), "the module with another clock");
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
