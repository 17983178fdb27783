// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/lonely.cpp  A system-wide recording, and a task alone on its CPU. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/cpu.h"
#include "tests/support/catch.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <unistd.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

} // namespace

TEST_CASE_METHOD(AtRest, "a system-wide recording has a task's ticks before its first switch",
		 "[record][smp]")
{
	std::unique_ptr<Setting> unthrottled;

	if (!std::filesystem::exists("/sys/kernel/debug/sched/fair_server"))
		unthrottled = std::make_unique<Setting>("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	const Gate ready;
	const Child lonely([&] {
		const Burner burner;

		stay_on(1);
		run_before_others();
		burner.plant_loop(text);
		ready.open();
		/*
		 * Pause now and then, so that this CPU runs other work, such as the end of a grace
		 * period.
		 */
		for (;;) {
			const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);

			spin_while(text, [&] { return std::chrono::steady_clock::now() < until; });
			usleep(50'000);
		}
	});
	bool ticked = false, switched = true;

	stay_on(0);
	ready.wait();
	for (int i = 0; i < 60 && switched; i++) {
		Recording recording;

		await_no_clock();
		const uint64_t before = switches_of(lonely.pid());
		REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
		CHECK(soon([&] {
			ticked = recording.sum(
					 [&](const Row &row) { return row.owner.pid == lonely.pid(); }) > 0;
			switched = switches_of(lonely.pid()) != before;
			return ticked || switched;
		}));
	}
	CHECK(ticked);
	CHECK_FALSE(switched);
}
