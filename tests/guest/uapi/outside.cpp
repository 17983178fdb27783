// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/outside.cpp  PCs outside all regions, and the array of PCs. */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <algorithm>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** The number of elements of an array of PCs that equal @p pc. */
template <typename T> uint64_t occurrences(const Memory &samples, uint64_t number, uint64_t pc)
{
	const T *first = samples.at<T>();

	return std::count(first, first + number, static_cast<T>(pc));
}

template <typename T> void check_order(uint32_t width)
{
	const Device device;
	const Burner burner;
	const Memory samples(4096);
	const uint64_t number = 4096 / sizeof(T);

	device.start(describe_samples(samples.at(), number, width));
	burner.burn_until(text, [&] { return occurrences<T>(samples, number, text) >= 10; });
	burner.burn_until(text + 64, [&] { return occurrences<T>(samples, number, text + 64) >= 10; });
	const auto status = device.status();
	const auto stored = device.stop();

	CHECK(stored >= status.stored);
	CHECK(status.stored == status.counted);
	CHECK(occurrences<T>(samples, stored, text) >= 10);
	CHECK(occurrences<T>(samples, stored, text + 64) >= 10);
	const T *first = samples.at<T>(), *last = first + stored;
	CHECK(std::find(std::find(first, last, static_cast<T>(text + 64)), last, static_cast<T>(text)) ==
	      last);
	CHECK(occurrences<T>(samples, stored, 0) == 0);
	CHECK(std::count(last, first + number, T{0}) == static_cast<ptrdiff_t>(number - stored));
}

} // namespace

TEST_CASE_METHOD(AtRest, "the overflow counter counts the PCs in no region", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(8192);

	for (const uint32_t width : {2, 4, 8}) {
		CAPTURE(width);
		std::fill_n(counters.at<char>(), counters.bytes(), 0);
		const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
		auto how = describe(region);
		how.overflow = counters.address() + 4096 + 8;
		how.overflow_width = width;
		device.start(how);
		burner.burn_until(text, [&] { return counter<uint64_t>(counters) >= 5; });
		burner.burn_until(text + 64, [&] { return counter<uint64_t>(counters, 513) >= 5; });
		CHECK(device.status().outside == 0);
		device.stop();

		const auto both = counter<uint64_t>(counters) + counter<uint64_t>(counters, 513);
		CHECK(sum_counters<uint64_t>(counters) == both);
	}
}

TEST_CASE_METHOD(AtRest, "an overflow counter alone counts every PC", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4096);
	profil_start how = {};

	how.size = sizeof(how);
	how.period = period_10khz;
	how.overflow = counters.address();
	how.overflow_width = 4;
	device.start(how);
	burn_ticks(device, burner, text, 10);
	const auto status = device.status();
	CHECK(status.outside == 0);
	CHECK(counter<uint32_t>(counters) >= status.counted);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a PC past the end of its buffer is in no region", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4096);
	auto region = each_address(text, text + 0x1000, counters.at(), 4);

	/* Counters for the first 64 addresses only. */
	region.bytes = 64 * 4;
	auto how = describe(region);
	how.overflow = counters.address() + 2048;
	how.overflow_width = 4;
	device.start(how);
	constexpr auto last = code_place(63);
	burner.burn_until(text + last, [&] { return counter<uint32_t>(counters, last) >= 5; });
	const auto inside = counter<uint32_t>(counters, last);
	for (const uint64_t past : {64, 65, 0x7ff, 0xffc}) {
		const auto before = counter<uint32_t>(counters, 512);
		burner.burn_until(text + code_place(past),
				  [&] { return counter<uint32_t>(counters, 512) >= before + 5; });
	}
	device.stop();
	CHECK(counter<uint32_t>(counters, last) == inside);
	CHECK(sum_counters<uint32_t>(counters) == inside + counter<uint32_t>(counters, 512));
}

TEST_CASE_METHOD(AtRest, "a PC that is an address space away does not alias into the buffer", "[uapi]")
{
	constexpr uintptr_t far = 1ULL << 33;
	const Device device;
	const Burner burner(far);
	const Memory counters(4096);

	/* The product of scale and distance is 2^64, whose lower 64 bits are those of the first counter. */
	auto region = each_address(0, 1ULL << 63, counters.at(), 4);
	region.bytes = 4096;
	region.scale = 1U << 31;
	device.start(describe(region));
	burn_ticks(device, burner, far, 10, &profil_status::outside);
	const auto status = device.status();
	CHECK(status.counted == 0);
	CHECK(sum_counters<uint32_t>(counters) == 0);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a region without bytes swallows its ticks", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4096), samples(4096);
	const profil_region regions[] = {
		one_counter(text, text + CODE_LOOP_RETURN, nullptr, 2),
		one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(), 4)};
	auto swallow = std::vector(std::begin(regions), std::end(regions));

	swallow[0].bytes = 0;
	swallow[0].high = text + CODE_LOOP_RETURN + 1; /* includes the return */

	SECTION("and leaves the overflow counter alone")
	{
		auto how = describe(swallow);
		how.overflow = counters.address() + 64;
		how.overflow_width = 4;
		device.start(how);
		const auto before = device.status();
		burn_ticks(device, burner, text, 20, &profil_status::outside);
		const auto after = device.status();
		CHECK(after.outside - before.outside >= 20);
		CHECK(sum_counters<uint32_t>(counters) >= after.counted);
		CHECK(counter<uint32_t>(counters) == 0);
	}
	SECTION("and stores no PC")
	{
		auto how = describe(swallow);
		how.samples = samples.address();
		how.nr_samples = 512;
		how.sample_width = 8;
		device.start(how);
		burn_ticks(device, burner, text, 20, &profil_status::outside);
		/* Ticks elsewhere also count, as stored PCs, so wait for the loop's own counter. */
		burner.burn_until(text + 64, [&] { return counter<uint32_t>(counters) > 0; });
		CHECK(occurrences<uint64_t>(samples, 512, text) == 0);
	}
	device.stop();
}

TEST_CASE_METHOD(AtRest, "PCs in no region are stored beside the counters, until the array is full", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4096), samples(4096);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at());
	auto how = describe(region);

	how.samples = samples.address();
	how.nr_samples = 256;
	how.sample_width = 8;
	device.start(how);
	burn_ticks(device, burner, text + 64, 20, &profil_status::outside);
	auto status = device.status();
	CHECK(status.stored == 256);
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(occurrences<uint64_t>(samples, 256, text + 64) > 0);
	CHECK(occurrences<uint64_t>(samples, 512, text) == 0);
	CHECK(occurrences<uint64_t>(samples, 512, 0) == 512 - 256);

	/* The regions still count. */
	const auto before = counter<uint32_t>(counters);
	const auto ticks = burn_ticks(device, burner, text, 10);
	CHECK(counter<uint32_t>(counters) == before + ticks);
	CHECK(device.stop() == 256);
}

TEST_CASE_METHOD(AtRest, "without regions, PCs of 8 bytes are stored in order", "[uapi]")
{
	check_order<uint64_t>(8);
}

TEST_CASE_METHOD(AtRest, "without regions, PCs of 4 bytes are stored in order", "[uapi]")
{
	check_order<uint32_t>(4);
}

TEST_CASE_METHOD(AtRest, "a full array of PCs ends the profile, and nothing is stored after", "[uapi]")
{
	const ClockKeeper keeper;
	const Device device;
	const Burner burner;
	const Memory samples(8192);

	/* The array spans two pages, and ends inside the second. */
	device.start(describe_samples(samples.at(4096 - 4 * 8), 8));
	burner.burn_until(text, [&] { return device.status().off >= 20; });
	const auto status = device.status();
	CHECK(status.state == PROFIL_STATE_FULL);
	CHECK(status.stored == 8);
	CHECK(status.counted == 8);
	CHECK(occurrences<uint64_t>(samples, 1024, 0) == 1024 - 8);
	CHECK(counter<uint64_t>(samples, 512 - 5) == 0);
	CHECK(counter<uint64_t>(samples, 512 - 4) != 0);
	CHECK(counter<uint64_t>(samples, 512 + 3) != 0);
	CHECK(counter<uint64_t>(samples, 512 + 4) == 0);
	CHECK(device.stop() == 8);
	CHECK(device.status().state == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "a start returns how many PCs the previous profile had stored", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory samples(4096);
	auto how = describe_samples(samples.at(), 500);

	REQUIRE(device.call(PROFIL_START, &how) == 0);
	CHECK(how.stored == 0);
	burner.burn_until(text, [&] { return device.status().state == PROFIL_STATE_FULL; });
	REQUIRE(device.call(PROFIL_START, &how) == 0);
	CHECK(how.stored == 500);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	device.stop();
	CHECK(device.stop() == 0);
}
