// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/events/calibrate.cpp  Periods that are chosen by how often an event comes. */
#include "cli/events/calibrate.h"

#include <catch2/catch.hpp>
#include <string>

using namespace cli;

TEST_CASE("a period gives two thousand samples a second, and is odd", "[cli][events]")
{
	CHECK(period_for(3e9) == 1'500'001);
	CHECK(period_for(1e6) == 501);
	CHECK(period_for(6002) == 3);
	CHECK(period_for(4000) == 3);
	CHECK(period_for(3999) == 1);
	CHECK(period_for(1) == 1);
}

TEST_CASE("a period is chosen for an event of the hardware without one, and for no other", "[cli][events]")
{
	const auto event = [](const std::string &text) { return parse_events(text)->front(); };

	CHECK(event("page-faults:3").has_period);
	CHECK_FALSE(event("cycles").has_period);
	CHECK(event("cycles:u:1000").has_period);
	CHECK(event("breakpoint/config=0,period=7/").has_period);
	CHECK(is_of_hardware(event("cycles")));
	CHECK(is_of_hardware(event("LLC-load-misses")));
	CHECK(is_of_hardware(event("r1a8")));
	CHECK_FALSE(is_of_hardware(event("page-faults")));
	CHECK_FALSE(is_of_hardware(event("mem:0x601040:w")));

	/* What does not come, as no such process has it, keeps its period. */
	std::vector<Event> events = {event("cycles"), event("cycles:u:77"), event("page-faults")};
	const pid_t nobody = 0x7fffffff;

	choose_periods(events, std::span(&nobody, 1));
	CHECK(events[0].period == 1'000'003);
	CHECK(events[1].period == 77);
	CHECK(events[2].period == 1);
}

TEST_CASE("the rate of an event is that of the thread that has it most often", "[cli][events]")
{
	Event switches = parse_events("context-switches:u")->front();
	const pid_t nobody = 0x7fffffff;

	CHECK_FALSE(rate_of(switches, std::span(&nobody, 1)));
}
