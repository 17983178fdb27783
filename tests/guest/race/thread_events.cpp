// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/thread_events.cpp  A recording of a thread begins while another thread's
 * event is being counted.
 */
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
		 "a thread's recording has no event of another thread, even if that is just being counted",
		 "[window][source]")
{
	constexpr size_t pages = 64;
	Recording other(4096, 1);
	const Memory shared(page, MAP_SHARED);
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
	const auto begin = [](Recording &recording, pid_t id, uint32_t flags) {
		recording.begin_with(open_proof({.pid = id, .config = PERF_COUNT_SW_PAGE_FAULTS}),
				     PROFIL_EVENT | flags);
	};

	REQUIRE(soon([&] { return *shared.at<volatile pid_t>() != 0; }));
	stay_on(0);
	begin(other, target.pid(), 0);
	REQUIRE(soon([&] { return other.status().ticks > 10; }));
	for (unsigned i = 0; i < rounds(50); i++) {
		Recording recording(256, 1);

		begin(recording, *shared.at<volatile pid_t>(), PROFIL_THREAD);
		usleep(20'000);
		REQUIRE(recording.status().ticks == 0);
	}
}
