// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/interrupts.cpp  The rate at which users can interrupt other CPUs with
 * event counters.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/cpu.h"

#include <iterator>
#include <linux/perf_event.h>
#include <memory>
#include <sstream>
#include <string>
#include <time.h>

using namespace guest;
using namespace guest::hostile;

namespace {

uint64_t now_ns(clockid_t clock)
{
	timespec now;

	need(clock_gettime(clock, &now), "clock_gettime");
	return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

/** The length of a jiffy, in ns. */
uint64_t jiffy_ns()
{
	timespec one;

	need(clock_getres(CLOCK_MONOTONIC_COARSE, &one), "clock_getres");
	return static_cast<uint64_t>(one.tv_nsec);
}

/** The number of function call interrupts that CPU 1 has had. */
uint64_t calls_of_cpu1()
{
	std::istringstream lines(read_file("/proc/interrupts"));
	std::string line;

	while (std::getline(lines, line)) {
		if (line.find("Function call interrupts") == std::string::npos)
			continue;
		std::istringstream columns(line);
		std::string name;
		uint64_t first = 0, second = 0;

		need_that(static_cast<bool>(columns >> name >> first >> second), "two CPUs are listed");
		return second;
	}
	throw std::runtime_error("no function call interrupts are listed");
}

struct Calls {
	uint64_t rounds, calls, jiffies;
};

/**
 * Runs @p attack again and again, for two seconds, on CPU 0, as a user without capabilities.
 * Workers are kept off CPU 1, because waking one there would be a function call interrupt, too.
 */
Calls calls_while(const std::function<void(uint64_t round)> &attack)
{
	const PerfForUsers users;
	const Setting workers("/sys/devices/virtual/workqueue/cpumask", "1");

	return in_child([&] {
		Calls calls = {};

		become(attacker, 0);
		stay_on(0);
		attack(calls.rounds++);
		const uint64_t calls_before = calls_of_cpu1(), begin = now_ns(CLOCK_MONOTONIC);
		while (now_ns(CLOCK_MONOTONIC) < begin + 2'000'000'000)
			attack(calls.rounds++);
		calls.calls = calls_of_cpu1() - calls_before;
		calls.jiffies = (now_ns(CLOCK_MONOTONIC) - begin) / jiffy_ns();
		return calls;
	});
}

Fd own_event(uint64_t event = PERF_COUNT_SW_PAGE_FAULTS)
{
	Fd proof = open_proof({.pid = getpid(), .exclude_kernel = true, .config = event});

	need(proof.get(), "perf_event_open");
	return proof;
}

} // namespace

TEST_CASE_METHOD(AtRest, "reading an event's status interrupts other CPUs at most twice a jiffy",
		 "[hostile][source][smp]")
{
	std::unique_ptr<Recording> recording;
	const Calls calls = calls_while([&](uint64_t round) {
		if (!round) {
			recording = std::make_unique<Recording>(512, 1'000'000);
			recording->begin_with(own_event(), event_flags);
		}
		in_fdinfo(recording->device(), "event_enabled_ns");
	});

	CAPTURE(calls.rounds, calls.calls, calls.jiffies);
	CHECK(calls.calls > 0);
	CHECK(calls.calls <= 2 * (calls.jiffies + 2));
}

TEST_CASE_METHOD(AtRest,
		 "asking for ever shorter periods of an event interrupts other CPUs at most twice a jiffy",
		 "[hostile][source][smp]")
{
	std::unique_ptr<Recording> longest;
	const Calls calls = calls_while([&](uint64_t round) {
		if (!round) {
			longest = std::make_unique<Recording>(512, 1'000'000'000);
			longest->begin_with(own_event(), event_flags);
		}
		Recording shorter(512, 1'000'000'000 - 1 - round);
		shorter.begin_with(own_event(), event_flags);
	});

	CAPTURE(calls.rounds, calls.calls, calls.jiffies);
	CHECK(calls.calls > 0);
	CHECK(calls.calls <= 2 * (calls.jiffies + 2));
}

TEST_CASE_METHOD(AtRest,
		 "beginning and ending recordings of events interrupts other CPUs at most twice a jiffy",
		 "[hostile][source][smp]")
{
	/* One event at a time, so that each counter is created and released in each round. */
	constexpr uint64_t events[] = {PERF_COUNT_SW_PAGE_FAULTS,      PERF_COUNT_SW_CPU_MIGRATIONS,
				       PERF_COUNT_SW_PAGE_FAULTS_MIN,  PERF_COUNT_SW_PAGE_FAULTS_MAJ,
				       PERF_COUNT_SW_ALIGNMENT_FAULTS, PERF_COUNT_SW_EMULATION_FAULTS};
	const Calls calls = calls_while([&](uint64_t round) {
		Recording recording(512, 1'000'000);

		recording.begin_with(own_event(events[round % std::size(events)]), event_flags);
	});

	CAPTURE(calls.rounds, calls.calls, calls.jiffies);
	CHECK(calls.calls > 0);
	CHECK(calls.calls <= 2 * (calls.jiffies + 2));
}
