// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/machine.cpp  Changes to the whole machine while profiles start and stop:
 * CPUs go offline and online, perf's limit changes, the module is unloaded and loaded.
 */
#include "tests/guest/support/clock.h"
#include "tests/guest/support/held_probes.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;
const char switch_of_cpu1[] = "/sys/devices/system/cpu/cpu1/online";
const char max_rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";

/** Uses the module whenever it is loaded; it may be unloaded at any time. */
void use_for_ever(const Memory &successes, const Memory &rest)
{
	const Memory counters(page);
	const auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));

	for (unsigned i = 0;; i++) {
		while (counter<uint64_t>(rest))
			usleep(1000);
		const Fd file(open("/dev/profil", O_RDWR | O_CLOEXEC));
		if (file.get() < 0) {
			need_that(errno == ENOENT || errno == ENODEV || errno == ENXIO,
				  "the module is unloaded");
			continue;
		}
		auto start = how;
		start.flags = PROFIL_FOLLOW;
		need(ioctl(file.get(), PROFIL_START, &start), "PROFIL_START");
		if (i % 4 == 0)
			in_child([] { return 0; });
		Burner::spin(text, 10'000);
		profil_stop stop = {};
		stop.size = sizeof(stop);
		need(ioctl(file.get(), PROFIL_STOP, &stop), "PROFIL_STOP");
		__atomic_fetch_add(successes.at<uint64_t>(), 1, __ATOMIC_RELAXED);
	}
}

} // namespace

TEST_CASE_METHOD(AtRest, "profiles start and stop while a CPU goes offline and online", "[race][smp]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto how =
		describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 4), period_nobody);
	const ModuleCount all;
	std::atomic<bool> done = false;
	uint64_t counted = 0, touched = 0;

	burner.plant_loop(text);
	const Burners others(text);
	std::thread switcher([&] {
		for (unsigned i = 0; i < rounds(6); i++)
			for (const char *value : {"0", "1"})
				write_file(switch_of_cpu1, value);
		done = true;
	});
	while (!done) {
		memset(counters.at(), 0, page);
		device.start(how);
		Burner::spin(text, 20'000);
		device.status();
		device.stop();
		counted += counter<uint32_t>(counters);
		give_up(counters);
		Burner::spin(text, 5'000);
		touched += !given_up(counters);
	}
	switcher.join();
	CHECK(touched == 0);
	CHECK(all.becomes(counted));
}

TEST_CASE_METHOD(AtRest, "every tick is accounted for while perf throttles now and then", "[race][icount]")
{
	const Clock perf("perf");
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const Setting limit(max_rate, "100000");
	auto how = describe(one_counter(0, CODE_END, counters.at(), 8));

	/*
	 * No other task may run while ticks are missing, or the missing ticks could be that task's.
	 */
	run_before_others();
	burner.plant_loop(text);
	how.flags = PROFIL_KERNEL_TICKS;
	device.start(how);
	const auto begin = process_ns();
	for (unsigned i = 0; i < rounds(40); i++) {
		write_file(max_rate, i % 2 ? "100000" : "2500");
		Burner::spin(text, 20'000'000);
	}
	const auto status = device.status();
	const auto expected = (process_ns() - begin) / period_10khz;
	device.stop();
	CAPTURE(status.ticks, expected, status.lost_late);
	CHECK(status.ticks <= expected + expected / 100 + 1);
	if (!kernel_knows_arrivals()) {
		CHECK(status.lost_late == 0);
		return;
	}
	CHECK(status.lost_late > status.ticks / 8);
	CHECK(status.ticks >= expected - expected / 100 - 1);
}

TEST_CASE("the module can be unloaded between two uses but not during one", "[race]")
{
	const Burner burner;
	const Memory successes(page, MAP_SHARED), rest(page, MAP_SHARED);
	const HeldProbes held;
	unsigned unloaded = 0, busy = 0;
	const auto try_it = [&] {
		const int error = unload_module();

		need_that(!error || error == EWOULDBLOCK, "the module is unloaded or in use");
		busy += !!error;
		unloaded += !error;
		return !error;
	};

	burner.plant_loop(text);
	{
		std::vector<Child> users;

		for (int i = 0; i < 2; i++)
			users.emplace_back([&] { use_for_ever(successes, rest); });
		for (unsigned i = 0; i < rounds(2); i++) {
			for (int k = 0; k < 300; k++)
				if (try_it())
					need_that(load_module() == 0, "the module is loaded again");
			/* Once unused, the module can soon be unloaded. */
			*rest.at<volatile uint64_t>() = 1;
			need_that(soon(try_it), "an unused module can be unloaded");
			*rest.at<volatile uint64_t>() = 0;
			usleep(i % 4 * 1000);
			need_that(load_module() == 0, "the module is loaded again");
		}
		CHECK(soon([&] { return counter<uint64_t>(successes) > 0; }));
	}
	INFO(unloaded << " times unloaded, " << busy << " times in use, used " << counter<uint64_t>(successes)
		      << " times");
	CHECK(unloaded >= rounds(2));
	CHECK(soon([] { return module_stat("profiles") == 0 && module_stat("images") == 0; }));
	CHECK(soon([] { return module_stat("pinned_pages") == 0; }));
}
