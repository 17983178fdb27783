// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/hardware_events.cpp  Recordings of what a CPU counts, where QEMU emulates that.
 */
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/machine_code.h"
#include "tests/support/skip.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <linux/perf_event.h>

using namespace guest;

namespace {

/** Loops of two instructions a round. */
__attribute__((noipa, aligned(longest))) void count_down(uintptr_t rounds)
{
	code_count_down(rounds);
}

/** The same elsewhere. */
__attribute__((noipa, aligned(longest))) void count_down_again(uintptr_t rounds)
{
	code_count_down(rounds);
}

/** Runs both loops when told to. */
class Looper : public Worker {
public:
	Looper(uintptr_t rounds, uintptr_t more)
		: Worker([rounds, more] {
			  count_down(rounds);
			  count_down_again(more);
		  })
	{
	}
};

/** An event of the CPU's cycles; skips the test where they are not counted. */
Fd cycles_of(pid_t pid, bool exclude_kernel)
{
	Fd fd = open_proof({.pid = pid,
			    .exclude_kernel = exclude_kernel,
			    .type = PERF_TYPE_HARDWARE,
			    .config = PERF_COUNT_HW_CPU_CYCLES});

	if (fd.get() < 0 && errno == ENOENT)
		support::skip("this CPU has no counters that the kernel can use");
	need(fd.get(), "perf_event_open");
	return fd;
}

/** How far two numbers of ticks are apart: the phase of a counter decides about one. */
uint64_t apart(uint64_t one, uint64_t other)
{
	return std::max(one, other) - std::min(one, other);
}

} // namespace

/*
 * QEMU's counter of cycles has nanoseconds of virtual time, which are instructions under -icount, and
 * interrupts behind the right one.  No task has a counter of its own here: with one, QEMU 7.2 loses
 * interrupts of the CPU's, also those of perf record -a.
 */
TEST_CASE_METHOD(AtRest, "a CPU's cycles are counted where they went, to the period",
		 "[record][source][icount]")
{
	constexpr uint64_t period = 100'000;
	Looper looper(45'000'000, 15'000'000);
	Recording recording(4096, period);

	recording.begin_with(cycles_of(looper.pid(), true), event_flags);
	looper.run();
	recording.finish();
	const profil_status status = recording.status();
	CHECK(apart(ticks_in(recording, count_down), 90'000'000 / period) <= 1);
	CHECK(apart(ticks_in(recording, count_down_again), 30'000'000 / period) <= 1);
	CHECK(apart(status.ticks, 120'000'000 / period) <= 1);
	CHECK(status.ticks == status.counted);
	CHECK(recording.sum() == status.ticks);
}

TEST_CASE_METHOD(AtRest, "two recordings share a CPU's counter of cycles, with a period of each",
		 "[record][source][icount]")
{
	Looper looper(15'000'000, 30'000'000);
	const Fd proof = cycles_of(looper.pid(), true);
	Recording seldom(4096, 300'000), often(4096, 100'000);

	/* The second one has the counter, which runs already, come three times as often. */
	seldom.begin_with(proof, event_flags);
	often.begin_with(proof, event_flags);
	looper.run();
	often.finish();
	seldom.finish();
	CHECK(apart(ticks_in(often, count_down), 300) <= 1);
	CHECK(apart(ticks_in(often, count_down_again), 600) <= 1);
	CHECK(apart(ticks_in(seldom, count_down), 100) <= 1);
	CHECK(apart(ticks_in(seldom, count_down_again), 200) <= 1);
}

/* A fault is four instructions of the program's, and thousands of the kernel's. */
TEST_CASE_METHOD(AtRest, "a CPU's cycles in the kernel are counted as such, or not at all",
		 "[record][source][icount]")
{
	Faulter faulter(10'000, 0);
	Recording both(4096, 100'000), user(4096, 100'000);

	both.begin_with(cycles_of(faulter.pid(), false), event_flags | PROFIL_RECORD_KERNEL);
	user.begin_with(cycles_of(faulter.pid(), true), event_flags);
	faulter.run();
	user.finish();
	both.finish();
	const profil_status status = both.status();
	CAPTURE(status.kernel, status.counted);
	CHECK(status.kernel >= 100);
	CHECK(status.counted <= status.kernel / 10);
	CHECK(both.sum() == status.ticks);
	CHECK(user.status().ticks <= 1);
}
