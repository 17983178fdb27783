// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/thread_events.cpp  A profile that begins while an event is being counted. */
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <linux/perf_event.h>
#include <thread>
#include <unistd.h>

using namespace guest;

/* As in window.cpp, this race needs a module whose ticks take a while. */
TEST_CASE_METHOD(AtRest,
		 "a thread's profile has no event of another thread, even if that is just being counted",
		 "[window][source]")
{
	constexpr size_t pages = 64;
	const Device device, other;
	const Memory shared(page, MAP_SHARED), counters(page);
	const Child target([&] {
		std::thread([&] {
			*shared.at<volatile pid_t>() = gettid();
			for (;;)
				pause();
		}).detach();
		stay_on(1);
		volatile char *const memory = fresh_pages(pages);
		for (;;) {
			touch(memory, pages);
			madvise(const_cast<char *>(memory), pages * page, MADV_DONTNEED);
		}
	});
	const auto profile_of = [&](const Device &owner, pid_t id, uint32_t flags) {
		auto how = describe(one_counter(Burner::usual, Burner::usual + 64, counters.at(), 8), 1);

		how.flags = PROFIL_EVENT | flags;
		return owner.attach(how, open_proof({.pid = id, .config = PERF_COUNT_SW_PAGE_FAULTS}).get());
	};

	REQUIRE(soon([&] { return *shared.at<volatile pid_t>() != 0; }));
	stay_on(0);
	const auto all = profile_of(other, target.pid(), 0);
	REQUIRE(soon([&] { return other.status(all).ticks > 10; }));
	for (unsigned i = 0; i < rounds(50); i++) {
		const auto profile = profile_of(device, *shared.at<volatile pid_t>(), PROFIL_THREAD);

		usleep(20'000);
		REQUIRE(device.status(profile).ticks == 0);
		device.stop(profile);
	}
}
