// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/spared.cpp  What processes do for the memory of who records them. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <sstream>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** How often somebody has reclaimed because a group was at its limit. */
uint64_t reclaims(const Cgroup &group)
{
	std::istringstream lines(group.get("memory.events"));
	std::string name;
	uint64_t number;

	while (lines >> name >> number)
		if (name == "max")
			return number;
	throw std::runtime_error("memory.events has no line of max");
}

} // namespace

TEST_CASE_METHOD(AtRest, "processes reclaim no memory for who records everybody", "[record]")
{
	constexpr unsigned burners = 4;
	constexpr uint64_t ns_each = 200'000'000;
	const Cgroup group("recorder");
	const Gate begun, end;
	const Memory seen(4096, MAP_SHARED);
	Child recorder([&] {
		group.enter();
		Recording recording(4096);
		need_that(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0, "PROFIL_RECORD");
		begun.open();
		end.wait();
		*seen.at<uint64_t>() = recording.status().ticks;
	});

	begun.wait();
	/* It has more than that already, none of which can go, and it must not be killed for it. */
	std::ofstream("/proc/" + std::to_string(recorder.pid()) + "/oom_score_adj") << -1000 << std::flush;
	group.set("memory.max", "64K");
	const uint64_t before = reclaims(group);
	for (unsigned i = 0; i < burners; i++) {
		const Child child([] {
			const Burner burner;
			burner.plant_loop(text);
			for (;;)
				Burner::spin(text, 100'000);
		});
		REQUIRE(process_runs_for(child.pid(), ns_each));
	}
	const uint64_t reclaimed = reclaims(group) - before;
	group.set("memory.max", "max");
	end.open();
	recorder.join();
	/* 10 kHz. */
	CHECK(*seen.at<uint64_t>() >= burners * ns_each / 100'000 / 2);
	/* A work does, ten times a second at most. */
	CHECK(reclaimed < *seen.at<uint64_t>() / 10);
}
