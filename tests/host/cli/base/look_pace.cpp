// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/base/look_pace.cpp  How often profil looks at a recording. */
#include "cli/base/look_pace.h"
#include "tests/support/catch.h"

#include <vector>

using namespace cli;
using namespace std::chrono_literals;

namespace {

/** The interval after each look, given the number of ticks that the look finds. */
std::vector<std::chrono::milliseconds> intervals(LookPace &pace, const std::vector<uint64_t> &ticks)
{
	std::vector<std::chrono::milliseconds> all;
	std::chrono::steady_clock::time_point now{1h};
	uint64_t sum = 1000;

	pace.look(now, sum);
	pace.hurry();
	for (const uint64_t more : ticks) {
		CHECK_FALSE(pace.due(now));
		now += pace.interval();
		CHECK(pace.due(now));
		pace.look(now, sum += more);
		all.push_back(pace.interval());
	}
	return all;
}

} // namespace

TEST_CASE("a recording is looked at less often while hardly anything ticks", "[cli][recording]")
{
	LookPace pace;

	pace.begin(8192, 100);
	CHECK(intervals(pace, {0, 0, 4, 0, 10, 11, 1, 2}) ==
	      std::vector<std::chrono::milliseconds>{200ms, 400ms, 800ms, 1000ms, 1000ms, 100ms, 200ms,
						     400ms});
}

TEST_CASE("all CPUs cannot fill more than an eighth of the table between two looks", "[cli][recording]")
{
	LookPace half;
	LookPace never;

	half.begin(32 * 6400, 6400);
	CHECK(intervals(half, {0, 0, 0}) == std::vector<std::chrono::milliseconds>{200ms, 400ms, 400ms});
	never.begin(256, 6400);
	CHECK(intervals(never, {0, 0}) == std::vector<std::chrono::milliseconds>{100ms, 100ms});
}

TEST_CASE("the reader rests once nothing has ticked for long, once in a second at most", "[cli][recording]")
{
	LookPace pace;
	std::chrono::steady_clock::time_point now{1h};

	pace.begin(8192, 100);
	pace.look(now, 1000);
	pace.hurry();
	for (int looks = 0; looks < 3; looks++) {
		pace.look(now += pace.interval(), 1000);
		CHECK_FALSE(pace.may_rest(now));
	}
	pace.look(now += 800ms, 1000);
	CHECK(pace.quiet());
	REQUIRE(pace.may_rest(now));
	pace.rest(now);

	/*
	 * A wake-up ends the pause, and a look follows soon.  The next pause begins a second after
	 * the last one at the earliest.
	 */
	pace.wake(now += 10ms, 1000);
	CHECK_FALSE(pace.may_rest(now));
	CHECK(pace.interval() == 100ms);
	pace.look(now += 100ms, 1001);
	CHECK_FALSE(pace.may_rest(now));
	CHECK(pace.interval() == 1000ms);
	pace.look(now += 1000ms, 1001);
	CHECK(pace.may_rest(now));
	pace.rest(now);
	pace.wake(now += 1h, 2000);
	pace.look(now += 100ms, 2001);
	CHECK(pace.may_rest(now));

	/* After a look that finds more ticks, there is no pause, and the next look is soon. */
	pace.look(now += 100ms, 2003);
	CHECK_FALSE(pace.quiet());
	CHECK_FALSE(pace.may_rest(now));
	CHECK(pace.interval() == 100ms);
}
