// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/hardware_events.cpp  Recordings of hardware events that QEMU emulates.
 */
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/machine_code.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <algorithm>
#include <linux/perf_event.h>
#include <memory>
#include <vector>

using namespace guest;

namespace {

/** A loop of two instructions per round. */
__attribute__((noipa, aligned(longest))) void count_down(uintptr_t rounds)
{
	code_count_down(rounds);
}

/** count_down() at another address. */
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

/** An event that counts CPU cycles.  Skips the test if there is none. */
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

/** The difference of two tick counts.  A counter's phase alone can make it 1. */
uint64_t apart(uint64_t one, uint64_t other)
{
	return std::max(one, other) - std::min(one, other);
}

/** The times, in ns, for which an event was enabled and counted. */
struct Times {
	uint64_t enabled, running;

	Times operator-(const Times &earlier) const
	{
		return {enabled - earlier.enabled, running - earlier.running};
	}
};

Times times_of(const Device &device)
{
	return {in_fdinfo(device, "event_enabled_ns"), in_fdinfo(device, "event_running_ns")};
}

} // namespace

/*
 * Under -icount, QEMU counts a cycle for each instruction, that is, for each nanosecond of virtual
 * time, and interrupts right after the instruction at which the counter overflows.  No task has a
 * counter of its own here: if one had, QEMU 7.2 would lose interrupts of the CPU's counter, as it
 * also does for perf record -a.
 */
TEST_CASE_METHOD(AtRest, "a CPU's cycles are counted in the functions that spent them, to within a period",
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

	/*
	 * The counter runs already; the second recording makes it interrupt three times as often.
	 */
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

/* A fault takes four of the program's instructions, and thousands of the kernel's. */
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

/* The kernel rotates a CPU's counters among its events every few milliseconds. */
TEST_CASE_METHOD(AtRest, "an event is counted for a part of the time if there are too few counters",
		 "[record][source][icount]")
{
	constexpr uint64_t period = 100'000;
	constexpr uint64_t cycles = 900'000'000;
	Looper looper(cycles / 4, cycles / 4);
	Recording recording(4096, period);
	std::vector<std::unique_ptr<Recording>> others;

	recording.begin_with(cycles_of(looper.pid(), true), event_flags);
	/* More raw events than the CPU's seven counters; the CPU need not know these events. */
	for (uint64_t event = 1; event <= 10; event++) {
		others.push_back(std::make_unique<Recording>(4096, 1ULL << 40));
		others.back()->begin_with(
			open_proof({.pid = looper.pid(), .type = PERF_TYPE_RAW, .config = event}),
			event_flags);
	}
	const Times before = times_of(recording.device());
	const Times before_other = times_of(others.back()->device());

	looper.run();
	const Times all = times_of(recording.device()) - before;
	const Times other = times_of(others.back()->device()) - before_other;
	const uint64_t throttled = in_fdinfo(recording.device(), "event_throttled");

	for (const auto &one : others)
		one->finish();
	recording.finish();
	const uint64_t counted = recording.status().ticks * period;

	CAPTURE(all.enabled, all.running, other.enabled, other.running, counted);
	CHECK(throttled == 0);
	CHECK(all.running > all.enabled / 4);
	CHECK(all.running < all.enabled * 9 / 10);
	CHECK(other.running > other.enabled / 4);
	CHECK(other.running < other.enabled * 9 / 10);
	/* Only a part of the cycles was counted; scaled up, the count is near the true number. */
	CHECK(counted < cycles * 9 / 10);
	const double scaled = static_cast<double>(counted) * static_cast<double>(all.enabled) /
			      static_cast<double>(all.running);
	CHECK(scaled > 0.9 * cycles);
	CHECK(scaled < 1.1 * cycles);
}

/*
 * 100,000 samples are due in 100 ms, but perf allows only a few in each of the 10, 25 or 100 kernel
 * ticks of that time.
 */
TEST_CASE_METHOD(AtRest, "perf stops a CPU's counter that comes too often until the next tick of the kernel",
		 "[record][source][icount]")
{
	const Setting rate("/proc/sys/kernel/perf_event_max_sample_rate", "1000");
	Looper looper(25'000'000, 25'000'000);
	Recording recording(4096, 1000);

	recording.begin_with(cycles_of(looper.pid(), true), event_flags);
	looper.run();
	const uint64_t throttled = in_fdinfo(recording.device(), "event_throttled");
	const Times all = times_of(recording.device());

	recording.finish();
	const uint64_t ticks = recording.status().ticks;

	CAPTURE(throttled, ticks, all.enabled, all.running);
	CHECK(throttled >= 5);
	CHECK(throttled <= 120);
	/*
	 * The last sample that is allowed in a kernel tick stops the counter: at 100 ticks a
	 * second, the tenth.
	 */
	CHECK(ticks >= throttled);
	CHECK(ticks <= 11 * (throttled + 1));
	/* A throttled event counts as running: the times do not show throttling. */
	CHECK(all.running >= all.enabled);
}
