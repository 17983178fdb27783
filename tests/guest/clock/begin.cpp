// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/clock/begin.cpp  Recordings that begin while the clock already runs for others. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/burner.h"
#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/clock.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <cmath>
#include <ctime>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;

uint64_t now_ns()
{
	timespec now;

	need(clock_gettime(CLOCK_MONOTONIC, &now), "clock_gettime");
	return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace

/*
 * Ticks of a CPU's clock come due while its interrupts are off.  A recording that began in that
 * time, on another CPU, has lost only the ticks that came due after its start.
 */
TEST_CASE_METHOD(AtRest, "no tick is late for a recording that began after it was due", "[clock]")
{
	constexpr unsigned held = 20;
	const Clock lazy("lazy");
	const BusyModule module;
	const Gate hold, done;
	const Child target([&] {
		for (;;) {
			hold.wait();
			BusyModule::hold(held);
			done.open();
		}
	});
	const Fd proof = proof_of(target.pid());
	Recording older;

	older.begin_with(proof);
	for (unsigned i = 0; i < 20; i++) {
		Recording recording;

		hold.open();
		usleep(i % held * 1000);
		const uint64_t begin = now_ns();
		recording.begin_with(proof);
		done.wait();
		const auto status = recording.status();
		const uint64_t ns = now_ns() - begin;

		CAPTURE(i, status.ticks, status.lost_late, ns);
		/* At most one more than the periods, as the first tick may be due at once. */
		CHECK(status.ticks <= ns / period_10khz + 1);
	}
	CHECK((older.status().lost_late > 0 || !kernel_knows_arrivals()));
}

/*
 * If the clock is faster than a recording asked for, the recording takes only a share of its ticks.
 * Each recording below lasts for about half of its period, so about half of them have a tick.  By
 * Hoeffding's inequality, the ticks of `lives` recordings differ from their expected number by 50
 * or more at most once in 3 * 10^10 runs.
 */
TEST_CASE_METHOD(AtRest, "short recordings at a slow rate have their share of a fast clock's ticks",
		 "[clock][icount]")
{
	constexpr unsigned lives = 200;
	constexpr double most = 50;
	constexpr uint64_t slow = 100 * period_10khz;
	const Burner burner;
	const Memory tables(3 * page);
	const Device devices[2];
	const Fd proof = proof_of(getpid());
	const Child idle([] { pause(); });
	const Device keeper;
	double expected[2] = {}, different = 0, ticks[2] = {};

	/* Makes the clock run at the fast rate. */
	keeper.record(describe_recording(tables.at(2 * page), page, 0, period_10khz),
		      proof_of(idle.pid()).get());
	run_before_others();
	burner.plant_block(Burner::usual, Burner::block);
	for (unsigned i = 0; i < lives; i++) {
		uint32_t profiles[2];
		uint64_t begin[2], seen[2];

		/* Beginning the second recording takes time, in which the first one has ticks. */
		for (int n : {0, 1}) {
			profiles[n] = devices[n].record(
				describe_recording(tables.at(n * page), page, 0, slow), proof.get());
			begin[n] = process_ns();
		}
		burner.spend(slow / 2);
		for (int n : {0, 1}) {
			seen[n] = devices[n].status(profiles[n]).ticks;
			ticks[n] += static_cast<double>(seen[n]);
			expected[n] += static_cast<double>(process_ns() - begin[n]) / slow;
		}
		for (int n : {0, 1})
			devices[n].stop(profiles[n]);
		different += seen[0] != seen[1];
	}
	CAPTURE(expected[0], expected[1], ticks[0], ticks[1], different);
	CHECK(std::abs(ticks[0] - expected[0]) < most);
	CHECK(std::abs(ticks[1] - expected[1]) < most);
	/* The two recordings' ticks are not in step with each other either. */
	CHECK(std::abs(different - lives / 2.0) < most);
}
