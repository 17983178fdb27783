// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/limits.cpp  Counters at their limit: wrap, saturate, stop. */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <atomic>
#include <random>
#include <thread>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

uint64_t most(uint8_t width)
{
	return UINT64_MAX >> (64 - 8 * width);
}

/** A counter between two neighbours that must never change. */
struct Counter {
	Memory memory{4096};
	uint8_t width;

	explicit Counter(uint8_t bytes) : width(bytes) {}

	void *at() const { return memory.at(64); }
	void set(uint64_t value) const { __builtin_memcpy(at(), &value, width); }
	uint64_t get() const
	{
		uint64_t value = 0;
		__builtin_memcpy(&value, at(), width);
		return value;
	}
	bool neighbours_are_zero() const { return sum_counters<uint8_t>(memory) == sum_own(); }

private:
	uint64_t sum_own() const
	{
		uint64_t sum = 0;
		for (uint8_t i = 0; i < width; i++)
			sum += memory.at<uint8_t>(64)[i];
		return sum;
	}
};

profil_start with_limit(const profil_region &region, uint32_t policy, uint64_t limit)
{
	auto how = describe(region);

	how.limit_policy = policy;
	how.limit = limit;
	return how;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a counter that wraps goes on at 0 and does not change its neighbours", "[uapi]")
{
	const Device device;
	const Burner burner;

	for (const uint8_t width : {2, 4, 8}) {
		CAPTURE(int(width));
		const Counter counter(width);
		counter.set(most(width) - 1);
		device.start(with_limit(one_counter(text, text + CODE_LOOP_RETURN, counter.at(), width),
					PROFIL_WRAP, 0));
		const auto ticks = burn_ticks(device, burner, text, 5);
		CHECK(counter.get() == ticks - 2);
		CHECK(counter.neighbours_are_zero());
		const auto status = device.status();
		CHECK(status.state == PROFIL_STATE_RUNNING);
		CHECK(status.saturated == 0);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "a counter that saturates stays at its limit", "[uapi]")
{
	const Device device;
	const Burner burner;

	for (const uint8_t width : {2, 4, 8})
		for (const uint64_t limit : {uint64_t{0}, uint64_t{100}, most(width), UINT64_MAX}) {
			const auto reached = limit && limit < most(width) ? limit : most(width);
			const Counter counter(width);

			for (const uint64_t preset : {reached - 1, reached, most(width)}) {
				CAPTURE(int(width), limit, preset);
				counter.set(preset);
				device.start(with_limit(
					one_counter(text, text + CODE_LOOP_RETURN, counter.at(), width),
					PROFIL_SATURATE, limit));
				const auto ticks =
					burn_ticks(device, burner, text, 3, &profil_status::saturated);
				const auto status = device.status();
				CHECK(counter.get() == std::max(preset, reached));
				CHECK(counter.neighbours_are_zero());
				CHECK(status.counted == (preset < reached ? 1 : 0));
				CHECK(status.saturated >= ticks);
				CHECK(status.state == PROFIL_STATE_RUNNING);
				device.stop();
			}
		}
}

TEST_CASE_METHOD(AtRest, "a counter at its limit stops the whole profile with PROFIL_LIMIT_STOP", "[uapi]")
{
	const Device device;
	const Burner burner;
	const ClockKeeper keeper;

	for (const uint8_t width : {2, 4, 8})
		for (const uint64_t limit : {uint64_t{0}, uint64_t{100}}) {
			const auto reached = limit ? limit : most(width);
			const Counter counter(width), other(4);

			for (const uint64_t preset : {reached - 1, reached, most(width)}) {
				CAPTURE(int(width), limit, preset);
				counter.set(preset);
				other.set(0);
				const std::vector<profil_region> regions = {
					one_counter(text, text + CODE_LOOP_RETURN, counter.at(), width),
					one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, other.at(), 4),
				};
				auto how = describe(regions);
				how.limit_policy = PROFIL_LIMIT_STOP;
				how.limit = limit;
				device.start(how);
				burner.burn_until(
					text, [&] { return device.status().state != PROFIL_STATE_RUNNING; });
				burn_ticks(device, burner, text + 64, 3, &profil_status::off);
				const auto status = device.status();
				CHECK(status.state == PROFIL_STATE_LIMIT);
				CHECK(counter.get() == std::max(preset, reached));
				CHECK(other.get() == 0);
				CHECK(status.counted == (preset < reached ? 1 : 0));
				CHECK(status.saturated == 1);
				device.stop();
			}
		}
}

TEST_CASE_METHOD(AtRest, "the overflow counter has the same limit", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Counter counter(2), overflow(2);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counter.at(), 2);
	auto how = with_limit(region, PROFIL_SATURATE, 5);

	overflow.set(4);
	how.overflow = reinterpret_cast<uintptr_t>(overflow.at());
	how.overflow_width = 2;
	device.start(how);
	burn_ticks(device, burner, text + 64, 3, &profil_status::saturated);
	device.stop();
	CHECK(overflow.get() == 5);
	CHECK(overflow.neighbours_are_zero());
}

TEST_CASE_METHOD(AtRest, "a stopped profile gives up its clock", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Counter counter(2);

	counter.set(most(2));
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counter.at(), 2);
	device.start(with_limit(region, PROFIL_LIMIT_STOP, 0));
	burner.burn_until(text, [&] { return device.status().state == PROFIL_STATE_LIMIT; });
	/* The owner has made no call since. */
	CHECK(soon([] { return module_stat("clock_period") == 0; }));
	CHECK(device.status().state == PROFIL_STATE_LIMIT);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a thread that keeps writing to the counters harms only itself", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4096);
	std::atomic<bool> done = false;
	std::thread vandal([&] {
		std::mt19937_64 random(1);
		while (!done)
			__atomic_store_n(counters.at<uint64_t>(random() % 2 * 8), random(), __ATOMIC_RELAXED);
	});

	for (const uint32_t policy : {PROFIL_WRAP, PROFIL_SATURATE}) {
		const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
		device.start(with_limit(region, policy, 0));
		/* The counters are random now; status() checks that the causes add up to the ticks. */
		burner.burn_until(text, [&] { return device.status().ticks >= 100; });
		device.stop();
	}
	done = true;
	vandal.join();
	CHECK(counter<uint64_t>(counters, 2) == 0);
}
