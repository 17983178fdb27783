// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/stopped_events.cpp  Events that occur more often than perf allows. */
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/machine_code.h"
#include "tests/support/catch.h"

#include <ctime>
#include <fstream>
#include <linux/perf_event.h>

using namespace guest;

namespace {

/** The CPU time of a process, in nanoseconds. */
uint64_t cpu_time_of(pid_t pid)
{
	clockid_t clock;
	timespec time = {};

	need_that(clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &time) == 0,
		  "the process has a clock");
	return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/**
 * Spends CPU time when told to.  It reads its CPU clock seldom, because each read makes the kernel
 * update the account.
 */
class Spender : public Worker {
public:
	explicit Spender(uint64_t ns)
		: Worker([ns] {
			  while (cpu_time_of(getpid()) < ns)
				  code_count_down(10'000'000);
		  })
	{
	}
};

/**
 * An event for each nanosecond of a task's CPU time.  perf throttles a software event only if
 * several occur at once, as these do: at each of its ticks, the kernel adds milliseconds of them.
 * The tracepoint patches the scheduler's text, which a QEMU 7.2 guest with more than one CPU does
 * not survive for long (scripts/guest/run).
 */
Fd runtime_of(pid_t pid)
{
	uint64_t id = 0;

	if (!(std::ifstream("/sys/kernel/tracing/events/sched/sched_stat_runtime/id") >> id))
		support::skip("this kernel has no tracepoint sched:sched_stat_runtime");
	return open_proof({.pid = pid, .type = PERF_TYPE_TRACEPOINT, .config = id});
}

constexpr uint64_t period = 20'000;

/**
 * Records runtime_of()'s events of a process that spends CPU time, with a limit on samples per
 * second.
 */
struct RecordedRuntime {
	explicit RecordedRuntime(const std::string &max_sample_rate)
		: rate("/proc/sys/kernel/perf_event_max_sample_rate", max_sample_rate)
	{
		recording.begin_with(runtime_of(spender.pid()), event_flags | PROFIL_RECORD_KERNEL);
		const uint64_t before = cpu_time_of(spender.pid());

		spender.run();
		spent = cpu_time_of(spender.pid()) - before;
		throttled = in_fdinfo(recording.device(), "event_throttled");
		enabled = in_fdinfo(recording.device(), "event_enabled_ns");
		running = in_fdinfo(recording.device(), "event_running_ns");
		recording.finish();
		status = recording.status();
	}

	const Setting rate;
	Spender spender{400'000'000};
	Recording recording{4096, period};
	uint64_t spent = 0, throttled = 0, enabled = 0, running = 0;
	profil_status status = {};
};

} // namespace

/*
 * perf allows one sample per kernel tick at 1,000 ticks a second, and ten at 100; many more are
 * due.
 */
TEST_CASE_METHOD(AtRest, "perf stops an event that comes too often, and fdinfo says how often",
		 "[record][source][icount]")
{
	const RecordedRuntime runtime("1000");
	const profil_status &status = runtime.status;

	CAPTURE(runtime.throttled, status.ticks, runtime.spent);
	CHECK(runtime.throttled > 0);
	/* The last sample allowed in a tick stops the event. */
	CHECK(status.ticks >= 1);
	CHECK(status.ticks * period < runtime.spent / 2);
	CHECK(status.ticks == status.kernel);
	CHECK(runtime.recording.sum() == status.ticks);
	/* A throttled event counts as running: the times do not show throttling. */
	CHECK(runtime.running >= runtime.enabled);
}

TEST_CASE_METHOD(AtRest, "an event that perf does not stop has all its samples, however many come at once",
		 "[record][source][icount]")
{
	/* Allows all the ticks that are due after the machine was stopped for minutes. */
	const RecordedRuntime runtime("1000000000");
	const profil_status &status = runtime.status;

	CAPTURE(runtime.throttled, status.ticks, runtime.spent);
	CHECK(runtime.throttled == 0);
	/*
	 * The event counts all tasks on the CPU, so where a period ends depends on the other tasks,
	 * too, and the last period may be incomplete: allow 1 %.
	 */
	CHECK(status.ticks * period > runtime.spent / 100 * 99);
	CHECK(status.ticks * period < runtime.spent / 100 * 101);
	CHECK(runtime.recording.sum() == status.ticks);
}
