// SPDX-License-Identifier: GPL-2.0-or-later
// A short run of tests/fuzz; make soak runs it for long.
#include "tests/guest/support/guest.h"

#include <catch2/catch.hpp>

#include <unistd.h>

using namespace guest;

TEST_CASE_METHOD(AtRest, "the fuzzer finds nothing in some seconds", "[fuzz]")
{
	// Or half of its processes could attach to nothing.
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "1");
	Child fuzzer([] {
		execl(program("../fuzz").c_str(), "fuzz", "--seconds", "10", nullptr);
		need(-1, "executing tests/fuzz");
	});

	// Its seed and what it found are in our output.
	CHECK(fuzzer.reap() == 0);
}
