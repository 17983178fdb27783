// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/clock/lazy.cpp  The lazy clock, which ticks only where a profiled task runs.
 * In a guest with one CPU, where a nanosecond is one instruction, interrupts can be counted.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/burner.h"
#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/clock.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <linux/perf_event.h>
#include <sched.h>
#include <sstream>
#include <time.h>
#include <vector>

using namespace guest;
using Steady = std::chrono::steady_clock;

namespace {

constexpr size_t page = 4096;
constexpr uint64_t second = 1'000'000'000;
constexpr uint64_t ms = 1'000'000;
const uintptr_t text = Burner::usual;

/** Interrupts of the local timers of all CPUs. */
uint64_t timer_interrupts()
{
	std::istringstream lines(read_file("/proc/interrupts"));
	std::string line, name;
	uint64_t sum = 0, number = 0;

	while (std::getline(lines, line)) {
		std::istringstream words(line);

		words >> name;
		if (name != "LOC:" && !line.ends_with(" arch_timer"))
			continue;
		while (words >> number)
			sum += number;
	}
	need_that(sum > 0, "the kernel counts timer interrupts");
	return sum;
}

void sleep_ns(uint64_t ns)
{
	const timespec time = {static_cast<time_t>(ns / second), static_cast<long>(ns % second)};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

/** Timer interrupts while a profile of this process runs at 10,000 Hz. */
uint64_t interrupts_during(const std::function<void()> &work)
{
	const Device device;
	const Memory counters(page);
	const auto region = one_counter(0, CODE_END, counters.at(), 8);

	device.start(describe_all_ticks(region, period_10khz));
	const uint64_t before = timer_interrupts();
	work();
	const uint64_t during = timer_interrupts() - before;
	device.stop();
	return during;
}

/** A profile's counts during some work, and the work's CPU time in periods. */
struct Run {
	profil_status status;
	double periods;
};

Run profiled(uint64_t period, const std::function<void(const Burner &)> &work)
{
	const Burner burner;
	const Device device;
	const Memory counters(page);
	const auto region = one_counter(0, CODE_END, counters.at(), 8);

	run_before_others();
	device.start(describe_all_ticks(region, period));
	const uint64_t begin = process_ns();
	work(burner);
	const auto status = device.status();
	const double periods = static_cast<double>(process_ns() - begin) / static_cast<double>(period);

	device.stop();
	return {status, periods};
}

uint64_t interrupts_with(const std::string &clock, const std::function<void()> &work)
{
	const Clock other(clock);

	return interrupts_during(work);
}

/** Take turns with other callers of this function only.  Returns the length of a turn in ns. */
uint64_t take_turns()
{
	const sched_param low = {.sched_priority = 1};
	timespec turn = {};

	run_before_others();
	need(sched_setscheduler(0, SCHED_RR, &low), "sched_setscheduler");
	need(sched_rr_get_interval(0, &turn), "sched_rr_get_interval");
	return static_cast<uint64_t>(turn.tv_sec) * second + static_cast<uint64_t>(turn.tv_nsec);
}

/** The deviation of the ticks from the CPU time, in windows of ten periods of CPU time. */
struct Deviations {
	double ticks = 0, periods = 0, chi_square = 0;
};

/** The deviations of a process that takes turns with another one, in step with the clock. */
Deviations deviations(int windows, bool other_is_profiled)
{
	const uint64_t period = 2 * take_turns();
	const Gate ready;
	const Child other([&] {
		const Burner burner;
		const Device device;
		const Memory counters(page);

		if (other_is_profiled)
			device.start(describe_all_ticks(one_counter(0, CODE_END, counters.at(), 8), period));
		take_turns();
		ready.open();
		for (;;)
			burner.spend(second);
	});
	const Burner burner;
	const Device device;
	const Memory counters(page);
	Deviations all;

	device.start(describe_all_ticks(one_counter(0, CODE_END, counters.at(), 8), period));
	ready.wait();
	/* From now on this process runs for half of the time. */
	burner.spend(2 * period);
	uint64_t ticks = device.status().ticks, time = process_ns();
	for (int i = 0; i < windows; i++) {
		burner.spend(10 * period);
		const uint64_t ticks_before = std::exchange(ticks, device.status().ticks);
		const uint64_t time_before = std::exchange(time, process_ns());
		const auto had = static_cast<double>(ticks - ticks_before);
		const double periods = static_cast<double>(time - time_before) / static_cast<double>(period);

		/*
		 * Two ticks are due in each period of the process's CPU time, and the process runs
		 * at half of them: a binomial distribution with a variance of periods / 2.
		 */
		all.chi_square += (had - periods) * (had - periods) / (periods / 2);
		all.ticks += had;
		all.periods += periods;
	}
	device.stop();
	return all;
}

} // namespace

TEST_CASE("the module does not load with an unknown clock", "[clock][icount]")
{
	REQUIRE(soon([] { return !unload_module(); }));
	CHECK(load_module("clock=sundial") == EINVAL);
	CHECK(load_module() == 0);
}

TEST_CASE("the default clock is the lazy one", "[clock]")
{
	const char *booted = getenv("PROFIL_PARAMETERS");
	const std::string parameters = booted ? booted : "";
	const std::string option = "clock=";
	const size_t chosen = parameters.find(option);
	const std::string expected =
		chosen == std::string::npos ? "lazy" : parameters.substr(chosen + option.size());

	CHECK(read_file("/sys/module/profil/parameters/clock") == expected + "\n");
}

TEST_CASE("a profile can request only the clock that the module has", "[clock][icount]")
{
	const std::vector<std::string> names = {"perf", "lazy"};
	const Memory counters(page);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at());

	for (size_t i = 0; i < names.size(); i++) {
		const Clock clock(names[i]);
		const Device device;
		Ring ring;

		for (uint32_t number = 0; number <= names.size() + 1; number++) {
			const int expected = number == 0 || number == i + 1 ? 0 : EOPNOTSUPP;
			auto how = describe(region);

			how.clock = number;
			CAPTURE(names[i], number);
			CHECK(device.call(PROFIL_START, &how) == expected);
			CHECK(ring.call(device, PROFIL_START, &how, sizeof(how)) == expected);
		}
		device.stop();
	}
}

TEST_CASE("the lazy clock does not tick where no profiled task runs", "[clock][icount]")
{
	const Burner burner;
	const auto sleep = [] { sleep_ns(second / 5); };
	/* This process is profiled, but waits for another one, which uses the CPU time. */
	Gate begin, done;
	Child other([&] {
		for (;;) {
			begin.wait();
			burner.spend(second / 5);
			done.open();
		}
	});
	const auto wait = [&] {
		begin.open();
		done.wait();
	};

	/* In 2,000 periods there are 50 ticks of the scheduler, or 200 with HZ=1000. */
	CHECK(interrupts_with("lazy", sleep) < 400);
	CHECK(interrupts_with("lazy", wait) < 400);
	CHECK(interrupts_with("perf", wait) > 1800);

	/* A recording of an event needs no clock. */
	const Clock lazy("lazy");
	Recording faults(4096, 1);

	faults.begin_with(open_proof({.pid = other.pid(), .config = PERF_COUNT_SW_PAGE_FAULTS}),
			  PROFIL_FOLLOW | PROFIL_EVENT);
	CHECK(interrupts_during(wait) < 400);
}

TEST_CASE("the lazy clock does not tick for system-wide recordings that have ended or were refused",
	  "[clock][record][icount]")
{
	const Clock lazy("lazy");
	const BusyModule module;
	const Burner burner;
	Gate burn, work, done;
	const Child burning([&] {
		for (;;) {
			burn.wait();
			burner.spend(second / 5);
			done.open();
		}
	});
	/*
	 * Keeps an unprofiled kernel thread busy: if the clock still ran, a tick would follow each
	 * switch to that thread.
	 */
	const Child working([&] {
		for (;;) {
			work.wait();
			for (const auto until = Steady::now() + std::chrono::milliseconds(200);
			     Steady::now() < until;)
				BusyModule::work(0);
			done.open();
		}
	});
	const auto interrupts_by = [&](Gate &who) {
		return interrupts_during([&] {
			who.open();
			done.wait();
		});
	};
	{
		std::vector<Recording> recordings(5);

		for (size_t i = 0; i < 5; i++)
			REQUIRE(recordings[i].begin_everybody(PROFIL_RECORD_KERNEL) == (i < 4 ? 0 : EBUSY));
		CHECK(interrupts_by(burn) > 1800);
		CHECK(interrupts_by(work) > 1000);
		recordings[0].finish();
	}
	const Child sleeping([] { pause(); }); /* with no profile at all, no task is checked */
	Recording other;
	other.begin(sleeping.pid());
	CHECK(interrupts_by(burn) < 400);
	CHECK(interrupts_by(work) < 400);
}

TEST_CASE("the lazy clock ticks a task with short bursts in proportion to its CPU time", "[clock][icount]")
{
	const Clock lazy("lazy");

	/* Run a tenth of each period, woken by a timer that is in step with a 1,000 Hz clock. */
	const auto [status, periods] = profiled(ms, [](const Burner &burner) {
		for (int i = 0; i < 2000; i++) {
			timespec now = {};

			need(clock_gettime(CLOCK_MONOTONIC, &now), "clock_gettime");
			now.tv_nsec += ms - now.tv_nsec % ms;
			now.tv_sec += now.tv_nsec / second;
			now.tv_nsec %= second;
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, nullptr);
			burner.spend(ms / 10);
		}
	});

	/*
	 * Each burst has a tick or not: a binomial distribution.  Allow six times its standard
	 * deviation.
	 */
	CAPTURE(periods, status.ticks);
	CHECK(periods > 150);
	CHECK(std::abs(static_cast<double>(status.ticks) - periods) < 6 * std::sqrt(periods));
	CHECK(status.lost_late <= 1);
}

TEST_CASE("the lazy clock ticks a program that runs alone once in each period", "[clock][icount]")
{
	constexpr uint64_t period = ms / 10;
	const Clock lazy("lazy");
	const auto [status, periods] =
		profiled(period, [](const Burner &burner) { burner.spend(2000 * period); });

	CAPTURE(periods, status.ticks);
	CHECK(as_expected(static_cast<double>(status.ticks), periods, periods / 100 + 2));
}

TEST_CASE("ticks of the lazy clock that interrupts were off for are late, all but the first",
	  "[clock][icount]")
{
	constexpr uint64_t held = 10, times = 20;
	skip_if_late_is_unknown();
	const Clock lazy("lazy");
	const BusyModule module;
	const auto [status, periods] = profiled(ms, [](const Burner &burner) {
		for (uint64_t i = 0; i < times; i++) {
			burner.spend(20 * ms);
			BusyModule::hold(held);
		}
		burner.spend(20 * ms);
	});
	CAPTURE(periods, status.ticks, status.lost_late);
	/* Each hold had ten ticks due: one came once interrupts were on again, nine are late. */
	CHECK(status.lost_late >= times * (held - 2));
	CHECK(status.lost_late <= times * held);
	CHECK(as_expected(static_cast<double>(status.ticks), periods, periods / 100 + 2));
}

TEST_CASE("an array of PCs stores 1,024 late ticks at once with PROFIL_OWED_TICKS, and the rest are late",
	  "[clock][icount]")
{
	constexpr uint64_t held = 200, points = held * ms / period_10khz, most = 1024;
	skip_if_late_is_unknown();
	const Clock lazy("lazy");
	const BusyModule module;
	const Device device;
	const Memory samples(8 * page);
	auto how = describe_samples(samples.at(), 4 * page / sizeof(uint64_t));

	how.flags |= PROFIL_KERNEL_TICKS | PROFIL_OWED_TICKS;
	run_before_others();
	device.start(how);
	const auto before = device.status();
	BusyModule::hold(held);
	const auto after = device.status();
	device.stop();
	CAPTURE(before.ticks, after.ticks, after.counted, after.lost_late);
	/* One tick came when interrupts were on again; one at the start may have been in time. */
	CHECK(after.lost_late >= points - 2 - most);
	CHECK(after.lost_late <= points - most);
	CHECK(after.counted - before.counted >= most + 1);
	CHECK(after.counted + after.lost_late == after.ticks);
}

TEST_CASE("the lazy clock ticks each of a hundred profiles by its own CPU time", "[clock][icount]")
{
	struct Outcome {
		double periods, ticks, late;
	};
	constexpr unsigned number = 100;
	const Clock lazy("lazy");
	const Gate ready, begin;
	std::vector<ChildOf<Outcome>> children;

	/*
	 * The children's time slices on the one CPU are a few periods long; every other child uses
	 * only every third tick of the clock.
	 */
	for (unsigned i = 0; i < number; i++)
		children.emplace_back([&, i] {
			const uint64_t period = i % 2 ? 3 * period_10khz : period_10khz;
			const Burner burner;
			const Device device;
			const Memory counters(page);
			const auto region = one_counter(0, 1ULL << 47, counters.at(), 8);

			device.start(describe_all_ticks(region, period));
			ready.open();
			begin.wait();
			const auto before = device.status();
			const uint64_t start = process_ns();
			burner.spend(30 * ms);
			const auto after = device.status();
			const auto time = static_cast<double>(process_ns() - start);

			device.stop();
			return Outcome{time / static_cast<double>(period),
				       static_cast<double>(after.ticks - before.ticks),
				       static_cast<double>(after.lost_late - before.lost_late)};
		});
	for (unsigned i = 0; i < number; i++)
		ready.wait();
	begin.open(number);

	double periods = 0, ticks = 0;
	for (ChildOf<Outcome> &child : children) {
		const Outcome one = child.result();

		CAPTURE(one.periods, one.ticks, one.late);
		/* Chance decides whether the first and last period of a slice have a tick. */
		CHECK(as_expected(one.ticks, one.periods, 4 * std::sqrt(one.periods) + 1));
		CHECK(one.late <= one.periods / 50);
		periods += one.periods;
		ticks += one.ticks;
	}
	CAPTURE(periods, ticks);
	CHECK(as_expected(ticks, periods, periods / 100));
}

TEST_CASE("ticks of the lazy clock are binomial for tasks that take turns in step with it", "[clock][icount]")
{
	constexpr int windows = 50;
	const Clock lazy("lazy");
	/* Rounded to whole scheduler ticks: 4 ms at 250 a second. */
	const Setting slice("/proc/sys/kernel/sched_rr_timeslice_ms", "4");

	for (const bool other_is_profiled : {true, false}) {
		/* Returns after the other process has ended: until then, nothing can be printed. */
		const auto seen = deviations(windows, other_is_profiled);

		CAPTURE(other_is_profiled, seen.ticks, seen.periods, seen.chi_square);
		/* Six standard deviations. */
		CHECK(std::abs(seen.ticks - seen.periods) < 6 * std::sqrt(seen.periods / 2));
		CHECK(seen.chi_square < windows + 6 * std::sqrt(2 * windows));
	}
}
