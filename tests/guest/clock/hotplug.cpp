// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/clock/hotplug.cpp  CPUs that go offline and online during ticks. */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <atomic>
#include <sched.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;
const char switch_of_cpu1[] = "/sys/devices/system/cpu/cpu1/online";

} // namespace

TEST_CASE_METHOD(AtRest, "a profile goes on when a CPU goes offline and comes back", "[clock][smp]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const std::vector<profil_region> regions = {
		one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8),
		one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(8), 8)};
	std::atomic<bool> stay = true, done = false;
	std::thread first([&] {
		stay_on(0);
		burner.burn_until(text, [&] { return done.load(); });
	});
	std::thread second([&] {
		while (!done) {
			if (stay)
				stay_on(1);
			burner.burn_until(text + 64, [&] { return done || !stay; });
			/* CPU 1 goes offline during this loop, which ends once it is back. */
			burner.burn_until(text + 64, [&] { return done || stay; });
		}
	});
	/* Wait until both counters grow. */
	const auto both_count = [&] {
		const auto a = counter<uint64_t>(counters, 0), b = counter<uint64_t>(counters, 1);
		return soon([&] {
			return counter<uint64_t>(counters, 0) > a + 10 &&
			       counter<uint64_t>(counters, 1) > b + 10;
		});
	};

	device.start(describe(regions, period_nobody));
	CHECK(both_count());
	for (int i = 0; i < 2; i++) {
		stay = false;
		write_file(switch_of_cpu1, "0");
		CHECK(both_count());
		device.status(); /* the causes must add up while a CPU is offline */
		write_file(switch_of_cpu1, "1");
		stay = true;
		CHECK(both_count());
	}
	done = true;
	first.join();
	second.join();
	const auto status = device.status();
	CHECK(status.counted == counter<uint64_t>(counters, 0) + counter<uint64_t>(counters, 1));
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a CPU can go offline and come back with the clock on and off", "[clock][smp]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);

	/* The clock starts while the CPU is offline, and stops while it is online. */
	write_file(switch_of_cpu1, "0");
	device.start(describe(region));
	write_file(switch_of_cpu1, "1");
	stay_on(1);
	burn_ticks(device, burner, text, 10);
	device.stop();
	CHECK(soon([] { return module_stat("clock_period") == 0; }));
	write_file(switch_of_cpu1, "0");
	write_file(switch_of_cpu1, "1");

	/* The clock starts while the CPU is online, and stops while it is offline. */
	device.start(describe(region));
	write_file(switch_of_cpu1, "0");
	burn_ticks(device, burner, text, 10);
	device.stop();
	CHECK(soon([] { return module_stat("clock_period") == 0; }));
	write_file(switch_of_cpu1, "1");
	stay_on(1);
	device.start(describe(region));
	burn_ticks(device, burner, text, 10);
	device.stop();
}
