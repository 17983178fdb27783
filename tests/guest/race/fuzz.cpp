// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/fuzz.cpp  A short run of tests/fuzz, which make soak runs for a long
 * time.
 */
#include "tests/guest/support/guest.h"
#include "tests/support/catch.h"

#include <unistd.h>

using namespace guest;

TEST_CASE_METHOD(AtRest, "the fuzzer finds nothing within seconds", "[fuzz]")
{
	const bool together = GENERATE(false, true);
	/* Otherwise half of the fuzzer's processes could not record anything. */
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "1");
	Child fuzzer([&] {
		execl(program("../fuzz").c_str(), "fuzz", "--seconds", "10",
		      together ? "--together" : nullptr, nullptr);
		need(-1, "executing tests/fuzz");
	});

	/* The seed and the findings are in the output of this test. */
	CHECK(fuzzer.reap() == 0);
}
