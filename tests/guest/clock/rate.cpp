// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/clock/rate.cpp  The number of samples for a given CPU time.  In a guest with
 * one CPU, where a nanosecond is one executed instruction, hardly any tick is late, and the numbers
 * are nearly exact.
 */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/clock.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <cmath>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <time.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
constexpr uint64_t second = 1'000'000'000;
const uintptr_t text = Burner::usual;

struct Measured {
	uint64_t ns;
	profil_status status;
};

profil_region all_text(const Memory &counters)
{
	return one_counter(0, CODE_END, counters.at(), 8);
}

Measured measure(uint64_t period, const std::function<void()> &work)
{
	const Device device;
	const Memory counters(page);
	const auto region = all_text(counters);
	Measured result;

	device.start(describe_all_ticks(region, period));
	const auto begin = process_ns();
	work();
	result.status = device.status();
	result.ns = process_ns() - begin;
	device.stop();
	CHECK(counter<uint64_t>(counters) >= result.status.counted);
	return result;
}

/** Check that ticks are exact to within 1 %, plus one sample for the ends. */
void check_exact(uint64_t ticks, uint64_t ns, uint64_t period)
{
	const auto expected = static_cast<double>(ns) / period;

	CAPTURE(ticks, expected);
	CHECK(as_expected(static_cast<double>(ticks), expected, expected / 100 + 1));
}

/** A device's interrupt may take a whole period, and the host decides how many there are. */
void check_hardly_late(const profil_status &status)
{
	CHECK(status.lost_late <= 1 + status.ticks / 1000);
}

/**
 * Threads that use CPU time and then wait.  They must not exit: no clock includes the CPU time of
 * an exited thread since the scheduler last accounted for it.
 */
class BurningThreads {
public:
	BurningThreads(const Burner &burner, unsigned number, uint64_t ns)
	{
		for (unsigned i = 0; i < number; i++)
			threads_.emplace_back([&burner, ns, this] {
				burner.spend(ns);
				done_.open();
				end_.wait();
			});
	}
	~BurningThreads()
	{
		end_.open(threads_.size());
		for (auto &thread : threads_)
			thread.join();
	}
	void wait() const
	{
		for (size_t i = 0; i < threads_.size(); i++)
			done_.wait();
	}

private:
	const Gate done_, end_;
	std::vector<std::thread> threads_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "CPU time times rate is the number of samples at 100, 1000 and 10000 Hz",
		 "[clock][icount]")
{
	const Burner burner;

	run_before_others();
	for (const auto &[rate, ns] : {std::pair{100, 2 * second}, {1000, second / 2}, {10000, second / 5}}) {
		CAPTURE(rate);
		const auto seen = measure(second / rate, [&] { burner.spend(ns); });
		check_hardly_late(seen.status);
		check_exact(seen.status.counted, seen.ns, second / rate);
	}
}

TEST_CASE_METHOD(AtRest, "CPU time times rate is the number of samples with 8 threads", "[clock][icount]")
{
	const Burner burner;

	burner.plant_block(text, Burner::block);
	/* The scheduler charges a task from its wakeup on, not from when it runs. */
	run_before_others();
	std::unique_ptr<BurningThreads> threads;
	const auto seen = measure(period_10khz, [&] {
		threads = std::make_unique<BurningThreads>(burner, 8, second / 20);
		threads->wait();
	});
	check_hardly_late(seen.status);
	check_exact(seen.status.counted, seen.ns, period_10khz);
}

/*
 * perf throttles an event that fires too often between two scheduler ticks, until the next
 * scheduler tick.  No other task may run until then, or the missing ticks could be that task's.
 */
TEST_CASE_METHOD(AtRest, "ticks that a throttled clock skips are counted as late", "[clock][icount]")
{
	const Clock perf("perf");
	const Burner burner;
	const Setting slow("/proc/sys/kernel/perf_event_max_sample_rate", "2500");

	run_before_others();
	const auto seen = measure(period_10khz, [&] { burner.spend(second / 2); });
	if (!kernel_knows_arrivals()) {
		CHECK(seen.status.lost_late == 0);
		CHECK(seen.status.ticks < seen.ns / period_10khz / 2);
		return;
	}
	CHECK(seen.status.lost_late > seen.status.ticks / 2);
	check_exact(seen.status.ticks, seen.ns, period_10khz);
}

TEST_CASE_METHOD(AtRest, "PROFIL_OWED_TICKS counts ticks that a throttled clock skips", "[clock][icount]")
{
	const Clock perf("perf");
	const Burner burner;
	const Device device;
	const Memory counters(4096);
	auto slow = std::make_unique<Setting>("/proc/sys/kernel/perf_event_max_sample_rate", "2500");
	auto how = describe(one_counter(0, ~0ULL, counters.at(), 8));

	how.flags |= PROFIL_KERNEL_TICKS | PROFIL_OWED_TICKS;
	run_before_others();
	burner.plant_block(text, Burner::block);
	device.start(how);
	const uint64_t begin = thread_ns();
	burner.spend(second / 2);
	/* The next tick that is not throttled also counts the skipped ones before it. */
	slow.reset();
	burner.spend(second / 50);
	const uint64_t ns = thread_ns() - begin;
	const auto status = device.status();
	/* Reading takes time, too, so there may be a tick in between. */
	const auto seen = counter<uint64_t>(counters);
	const auto later = device.status();
	device.stop();
	CHECK(later.lost_late == 0);
	CHECK(status.counted <= seen);
	CHECK(seen <= later.counted);
	if (kernel_knows_arrivals())
		check_exact(status.counted, ns, period_10khz);
}

TEST_CASE_METHOD(AtRest, "profiles with different periods are all exact", "[clock][icount]")
{
	const Burner burner;
	const Gate begin, done;
	const Child target([&] {
		begin.wait();
		burner.spend(2 * second);
		done.open();
		begin.wait();
	});
	const Fd proof = proof_of(target.pid());
	const Memory tables(5 * page);
	std::vector<Device> devices(5);
	const uint64_t rates[] = {100, 1024, 1000, 333, 7};

	for (size_t i = 0; i < devices.size(); i++)
		devices[i].record(describe_recording(tables.at(i * page), page, 0, second / rates[i]),
				  proof.get());
	clockid_t clock;
	need_that(clock_getcpuclockid(target.pid(), &clock) == 0, "clock_getcpuclockid");
	timespec time;
	begin.open();
	done.wait();
	need(clock_gettime(clock, &time), "clock_gettime");
	const auto ns = time.tv_sec * second + time.tv_nsec;
	for (size_t i = 0; i < devices.size(); i++) {
		CAPTURE(rates[i]);
		const auto status = devices[i].status(1);
		CHECK(status.lost_late <= 1);
		check_exact(status.ticks, ns, second / rates[i]);
	}
}

TEST_CASE_METHOD(AtRest, "a profile is exact while faster profiles come and go", "[clock][icount]")
{
	const Burner burner;
	const Memory table(page);
	const Device other;
	const Child idle([] { pause(); });
	const Fd proof = proof_of(idle.pid());

	run_before_others();
	/* All profiles share one clock, so it does not matter which process owns the faster ones. */
	const auto seen = measure(second / 100, [&] {
		for (int i = 0; i < 40; i++) {
			const auto profile =
				other.record(describe_recording(table, 0, second / 1024), proof.get());
			burner.spend(23'000'000);
			other.stop(profile);
			burner.spend(27'000'000);
		}
	});
	check_exact(seen.status.ticks, seen.ns, second / 100);
}

TEST_CASE_METHOD(AtRest, "work split 70, 20, 10 is counted in these proportions", "[clock][icount]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const int share[] = {70, 20, 10};
	std::vector<profil_region> regions;

	for (int i = 0; i < 3; i++) {
		burner.plant_loop(text + 64 * i);
		regions.push_back(
			one_counter(text + 64 * i, text + 64 * i + CODE_LOOP_RETURN, counters.at(8 * i), 8));
	}
	device.start(describe(regions));
	/* Work of 1 to 7 tenths of a millisecond, slightly out of step with the clock. */
	for (int round = 0; round < 150; round++)
		for (int i = 0; i < 3; i++)
			Burner::spin(text + 64 * i, share[i] * 10'007);
	device.stop();

	/*
	 * Pearson's chi-square with two degrees of freedom exceeds 13.82 once in a thousand times
	 * for independent samples; samples of a regular clock are nearer to their shares.
	 */
	const double sum = sum_counters<uint64_t>(counters);
	double chi_square = 0;
	for (int i = 0; i < 3; i++) {
		const double expected = sum * share[i] / 100;
		const double difference = counter<uint64_t>(counters, i) - expected;
		chi_square += difference * difference / expected;
	}
	CAPTURE(counter<uint64_t>(counters, 0), counter<uint64_t>(counters, 1),
		counter<uint64_t>(counters, 2));
	CHECK(sum > 1400);
	CHECK(chi_square < 13.82);
}

TEST_CASE_METHOD(AtRest, "a child gets ticks from its first instruction on", "[clock][icount][fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page, MAP_SHARED);
	const auto region = all_text(counters);
	auto how = describe_all_ticks(region, period_10khz);
	/* With lock debugging alone, a fork already takes several ticks. */
	const bool slow_birth = slowness() > 1 || access("/proc/lockdep", F_OK) == 0;
	constexpr int children = 50;
	struct Life {
		uint64_t born, before;
		profil_status status;
		uint64_t after;
	};

	/*
	 * Otherwise the scheduler charges the children for the time of tasks that ran before them.
	 */
	run_before_others();
	burner.plant_block(text, Burner::block);
	how.flags |= PROFIL_FOLLOW;
	device.start(how);
	for (int i = 0; i < children; i++) {
		const auto life = in_child([&] {
			Life seen;
			seen.born = process_ns();
			burner.spend(5'000'000);
			seen.before = process_ns();
			seen.status = device.status();
			seen.after = process_ns();
			return seen;
		});
		/*
		 * One tick of difference depends on where in a period the child's life begins and
		 * ends, another on the task to which the kernel's work for the fork, and
		 * interrupts, are charged.  (On a debug kernel the fork takes several ticks.)
		 */
		const uint64_t birth = slow_birth ? life.born : 0;
		CAPTURE(i, life.born, life.before, life.after, life.status.ticks, life.status.lost_late);
		CHECK((life.status.ticks + 2) * period_10khz > life.before - birth);
		if (slowness() == 1)
			CHECK(life.status.ticks * period_10khz < life.after + 2 * period_10khz);
	}
	device.stop();
}

TEST_CASE_METHOD(AtRest, "ticks of a profile that is off count as off even after the clock slows down",
		 "[clock][icount]")
{
	const Burner burner;
	const Memory samples(page), table(page);
	const Device full, other;

	full.start(describe_samples(samples.at(), 1, 8, second / 1000));
	burner.burn_until(text, [&] { return full.status().state == PROFIL_STATE_FULL; });
	/* From now on the clock runs for another profile, once a second. */
	const Child idle([] { pause(); });
	other.record(describe_recording(table, 0, second), proof_of(idle.pid()).get());
	need_that(soon([] { return module_stat("clock_period") == second; }), "the clock has slowed down");
	burner.spend(3 * second);
	const auto status = full.status();
	CHECK(status.off >= 1000);
	CHECK(status.lost_late == 0);
	full.stop();
}
