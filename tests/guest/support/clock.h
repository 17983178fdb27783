// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/clock.h  Runs a test with a given clock, no matter which one the guest
 * was booted with.
 */
#pragma once

#include "tests/guest/support/guest.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <string>
#include <unistd.h>

namespace guest {

/** Reloads the module with other parameters; the destructor restores the old ones. */
class Reloaded {
public:
	explicit Reloaded(const std::string &parameters)
	{
		need_that(soon([] { return !unload_module(); }), "the module is not in use");
		need_that(!load_module(parameters), "the module loads with other parameters");
	}
	Reloaded(const Reloaded &) = delete;
	Reloaded &operator=(const Reloaded &) = delete;
	~Reloaded()
	{
		CHECK(soon([] { return !unload_module(); }));
		CHECK(load_module() == 0);
	}
};

/** Reloads the module with this clock. */
class Clock : public Reloaded {
public:
	explicit Clock(const std::string &name) : Reloaded("clock=" + name) {}
};

/**
 * True if missing ticks are counted as late.  A kernel without CONFIG_SCHED_INFO does not record
 * when a task began to run, so missing ticks are counted nowhere (Documentation/accuracy.md).
 * Debug kernels without it miss many ticks, because their interrupts take a long time.
 */
inline bool late_ticks_are_counted()
{
	return access("/proc/self/schedstat", F_OK) == 0;
}

/** Skip a test that needs late ticks, or compares ticks with CPU time. */
inline void skip_if_late_is_unknown()
{
	if (!late_ticks_are_counted())
		support::skip("this kernel does not say since when a task runs, nor the module which ticks "
			      "are late");
}

/**
 * True if @p ticks is as expected.  If late ticks are counted nowhere, half of them may be missing.
 */
inline bool as_expected(double ticks, double expected, double tolerance)
{
	const double least = late_ticks_are_counted() ? expected - tolerance : expected / 2;

	return ticks >= least && ticks <= expected + tolerance;
}

} // namespace guest
