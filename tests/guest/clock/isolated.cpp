// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/clock/isolated.cpp  CPUs that a cpuset partition isolates, before a profile starts
 * and during ticks.
 */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/clock.h"
#include "tests/guest/support/device.h"
#include "tests/guest/support/partition.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <time.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/** A thousand ticks: too many for all of them to be late. */
constexpr uint64_t span = 1000 * period_nobody;
constexpr uint64_t patience = 30 * span;

uint64_t cpu_ns(pid_t pid)
{
	clockid_t clock;
	timespec now;

	need_that(!clock_getcpuclockid(pid, &clock), "the process has a CPU clock");
	need(clock_gettime(clock, &now), "clock_gettime");
	return now.tv_sec * 1'000'000'000ULL + now.tv_nsec;
}

/** A process that runs a loop on CPU 1, and its recording. */
class Burning {
public:
	explicit Burning(const Partition &partition) : child_(burning_child(text))
	{
		partition.enter(child_.pid());
		profile_ = device_.record(describe_recording(table_, 0, period_nobody),
					  proof_of(child_.pid()).get());
	}

	uint64_t ticks() const { return device_.status(profile_).ticks; }

	bool is_ticked() const
	{
		const auto before = ticks();

		return soon([&] { return ticks() >= before + 10; });
	}

	/** Wait until the process has used a span of CPU time without a tick; false if never. */
	bool is_no_longer_ticked() const
	{
		const auto end = cpu_ns(child_.pid()) + patience;
		auto seen = ticks(), since = cpu_ns(child_.pid());
		const auto without_a_tick = [&] {
			/* If there is a tick between the two reads, this time is not counted. */
			const auto now = cpu_ns(child_.pid()), number = ticks();

			if (number != seen) {
				seen = number;
				since = cpu_ns(child_.pid());
			}
			return now >= since + span;
		};

		while (cpu_ns(child_.pid()) < end)
			if (soon(without_a_tick))
				return true;
		return false;
	}

private:
	const Memory table_{page};
	const Child child_;
	const Device device_;
	uint32_t profile_;
};

/** Check that the CPU of the test, which is not isolated, has ticks. */
void check_own_ticks(const Burner &burner, uint64_t period)
{
	const Device device;
	const Memory counters(page);

	device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8), period));
	CHECK(burn_ticks(device, burner, text, 10) >= 10);
	CHECK(counter<uint64_t>(counters) == device.status().counted);
	device.stop();
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "a profile that starts while a CPU is isolated by a cpuset partition ticks on the others",
		 "[clock][smp]")
{
	need_cpusets();
	const Burner burner;
	const Partition partition;
	const bool kept_free = isolation_ends_housekeeping(partition);

	burner.plant_loop(text);
	await_no_clock();
	partition.become("isolated");
	check_own_ticks(burner, period_nobody);
	await_no_clock();
	const Burning burning(partition);
	if (kept_free) {
		CHECK(burning.is_no_longer_ticked());
		CHECK(burning.ticks() == 0);
	} else {
		CHECK(burning.is_ticked());
	}
}

TEST_CASE_METHOD(AtRest,
		 "a CPU that is isolated by a cpuset partition while the clock runs is no longer ticked, "
		 "and is again after it returns",
		 "[clock][smp]")
{
	need_cpusets();
	const Burner burner;
	const Partition partition;

	if (!isolation_ends_housekeeping(partition))
		support::skip("this kernel's isolated partitions have housekeeping");
	burner.plant_loop(text);
	const Burning burning(partition);
	CHECK(burning.is_ticked());
	for (int i = 0; i < 2; i++) {
		partition.become("isolated");
		CHECK(burning.is_no_longer_ticked());
		/* A shorter period sets the clock on every CPU that ticks. */
		const auto before = burning.ticks();
		check_own_ticks(burner, period_nobody / 2);
		CHECK(burning.is_no_longer_ticked());
		CHECK(burning.ticks() == before);
		partition.become("member");
		CHECK(burning.is_ticked());
	}
}

TEST_CASE_METHOD(AtRest, "with isolated_cpus=1 a CPU that is isolated by a cpuset partition is ticked",
		 "[clock][smp]")
{
	need_cpusets();
	const Reloaded reloaded("isolated_cpus=1");
	const Burner burner;
	const Partition partition;

	burner.plant_loop(text);
	partition.become("isolated");
	const Burning burning(partition);
	CHECK(burning.is_ticked());
	check_own_ticks(burner, period_nobody / 2);
	CHECK(burning.is_ticked());
}
