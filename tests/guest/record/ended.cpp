// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/ended.cpp  What a recording that has ended leaves to the next.
 */
#include "tests/guest/record/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace guest;

namespace {

/** So long that there is no tick. */
constexpr uint64_t no_tick = 3'600'000'000'000;

bool knows(const Recording &recording, pid_t pid)
{
	const auto owners = recording.owners("guest");

	return std::any_of(owners.begin(), owners.end(),
			   [&](const Described &owner) { return owner.pid == pid; });
}

} // namespace

TEST_CASE_METHOD(AtRest, "a recording of everybody meets the processes of one that has ended", "[record]")
{
	const Gate go, forked;
	Child child([&] {
		for (;;) {
			go.wait();
			Child([] {}).join();
			forked.open();
		}
	});
	Recording first, second(4096, no_tick);
	profil_stop_all all = {};

	all.size = sizeof(all);
	REQUIRE(first.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	go.open();
	forked.wait();
	REQUIRE(knows(first, child.pid()));
	/* Its file is still open, and knows the process. */
	REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	REQUIRE(second.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	CHECK_FALSE(knows(second, child.pid()));
	go.open();
	forked.wait();
	CHECK(knows(second, child.pid()));
}
