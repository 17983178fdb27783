// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/clock/interrupts.cpp  Commands interrupt other CPUs seldom or never. */
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <sstream>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

/** The function call interrupts of a CPU since boot. */
uint64_t calls_of(int cpu)
{
	std::istringstream lines(read_file("/proc/interrupts"));
	std::string line, name;

	while (std::getline(lines, line)) {
		std::istringstream words(line);
		uint64_t calls = 0;

		words >> name;
		if (name != "CAL:" && line.find("Function call interrupts") == std::string::npos)
			continue;
		for (int i = 0; i <= cpu; i++)
			words >> calls;
		need_that(!words.fail(), "a number for the CPU");
		return calls;
	}
	throw std::runtime_error("/proc/interrupts has no line of function calls");
}

/** Another program, profiled on CPU 1 so that the clock ticks there. */
class Neighbour {
public:
	Neighbour()
		: child_([this] {
			  const Device device;
			  const Burner burner;

			  stay_on(1);
			  device.start(describe(region_on(counter_.at()), period_nobody));
			  burner.burn_until(counted_text, [] { return false; });
		  })
	{
		need_that(soon([this] { return counter<uint64_t>(counter_) >= 3; }),
			  "the neighbour is profiled");
		stay_on(0);
	}

private:
	const Memory counter_{4096, MAP_SHARED};
	Child child_;
};

/* On debug kernels a start costs milliseconds. */
const unsigned times = slowness() > 1 ? 200 : 2000;
/* Allow for the kernel's other calls to CPU 1. */
const uint64_t others = times / 10;
/* Allow also for waking workers on CPU 1 in each round, which free ended profiles. */
const uint64_t wakes = 2 * times;

void need_two_cpus()
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		support::skip("there is one CPU");
}

void start_and_stop()
{
	const Device device;
	const Memory counter(4096);

	for (unsigned i = 0; i < times; i++) {
		device.start(describe(region_on(counter.at()), period_nobody));
		device.stop();
	}
}

} // namespace

TEST_CASE_METHOD(AtRest, "PROFIL_STATUS interrupts no other CPU", "[clock][hostile]")
{
	need_two_cpus();
	const Neighbour neighbour;
	const Device device;
	const Memory counter(4096);

	device.start(describe(region_on(counter.at()), period_nobody));
	const auto before = calls_of(1);
	for (unsigned i = 0; i < times; i++)
		device.status();
	CHECK(calls_of(1) - before < others);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "PROFIL_START and PROFIL_STOP of a thread alone only wake workers on another CPU",
		 "[clock][hostile]")
{
	need_two_cpus();
	const Neighbour neighbour;
	const auto before = calls_of(1);

	start_and_stop();
	CHECK(calls_of(1) - before < wakes);
}

TEST_CASE_METHOD(AtRest, "PROFIL_START beside another thread interrupts other CPUs twice in a jiffy at most",
		 "[clock][hostile]")
{
	need_two_cpus();
	const Neighbour neighbour;
	const Gate end;
	std::thread other([&end] {
		stay_on(1);
		end.wait();
	});
	const uint64_t hz = 1000; /* no kernel has more jiffies a second */
	const auto before = calls_of(1);
	const auto begin = std::chrono::steady_clock::now();

	start_and_stop();
	const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
	const auto most = static_cast<uint64_t>(took.count() * static_cast<double>(2 * hz)) + 2;
	end.open();
	other.join();
	INFO(took.count() << " s");
	CHECK(calls_of(1) - before < most + wakes);
}
