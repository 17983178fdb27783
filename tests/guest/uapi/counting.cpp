// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/counting.cpp  The arithmetic that finds the counter for a PC. */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <random>

using namespace guest;

namespace {

struct Rounding {
	uint8_t pre, bias, post;
};

/** The formula in <linux/profil.h>. */
uint64_t index_of(const profil_region &r, uint64_t pc)
{
	const auto product = static_cast<unsigned __int128>((pc - r.offset) >> r.pre) * r.scale;

	return (static_cast<uint64_t>(product >> 16) + r.bias) >> r.post;
}

uint64_t value_at(const Memory &memory, uint64_t index, uint8_t width)
{
	switch (width) {
	case 2: return counter<uint16_t>(memory, index);
	case 4: return counter<uint32_t>(memory, index);
	default: return counter<uint64_t>(memory, index);
	}
}

/** Check that a loop counts only in the counter that the formula gives. */
void check_lands(const Device &device, const Burner &burner, uintptr_t pc, profil_region region)
{
	const Memory counters(0x20000);
	const auto index = index_of(region, pc);

	region.buffer = counters.address();
	region.bytes = counters.bytes();
	CAPTURE(pc, region.low, region.offset, region.scale, int(region.width), int(region.pre),
		int(region.bias), int(region.post), index);
	device.start(describe(region));
	burn_ticks(device, burner, pc, 2);
	const auto counted = device.status().counted;
	CHECK(value_at(counters, index, region.width) == counted);
	/* The sum of all counters, read as 16-bit numbers, shows that no other counter changed. */
	CHECK(sum_counters<uint16_t>(counters) == counted);
	device.stop();
}

} // namespace

TEST_CASE_METHOD(AtRest, "a loop counts where the formula says and nowhere else", "[uapi]")
{
	const Device device;
	const Burner burner;
	const uintptr_t pc = burner.start() + 0x8000;
	const uint8_t log2[] = {0, 0, 1, 0, 2, 0, 0, 0, 3};

	for (const uint8_t width : {2, 4, 8})
		for (const Rounding how : {Rounding{0, 0, 0}, Rounding{0, 0, log2[width]}, Rounding{0, 1, 1},
					   Rounding{log2[width], 0, 0}, Rounding{3, 1, 3}})
			for (const uint64_t distance : {0, 1, 2, 3, 8, 4095})
				check_lands(device, burner, pc,
					    {.low = pc - distance,
					     .high = pc + 1,
					     .offset = pc - distance,
					     .buffer = 0,
					     .bytes = 0,
					     .scale = 0x10000,
					     .width = width,
					     .pre = how.pre,
					     .bias = how.bias,
					     .post = how.post});
}

TEST_CASE_METHOD(AtRest, "random regions count where the formula says", "[uapi]")
{
	const Device device;
	const Burner burner;
	const uintptr_t pc = burner.start() + 0x8000;
	std::mt19937_64 random(4711);

	for (unsigned i = 0; i < 120 / slowness(); i++) {
		const uint64_t offset = random() % 4 ? pc - random() % 5000 : random() % pc;
		/*
		 * The largest scale with which the PC's counter is still in check_lands()'s buffer,
		 * even with 8-byte counters.
		 */
		const uint64_t room = (0x20000 / 8 - 1) * 0x10000 / (pc - offset + 1);
		const auto scale = static_cast<uint32_t>(
			random() % 5 ? random() % std::min<uint64_t>(room + 1, 0x40000) : 0);

		check_lands(device, burner, pc,
			    {.low = offset + random() % (pc - offset + 1),
			     .high = pc + 1,
			     .offset = offset,
			     .buffer = 0,
			     .bytes = 0,
			     .scale = scale,
			     .width = static_cast<uint8_t>(2 << random() % 3),
			     .pre = static_cast<uint8_t>(random() % 4),
			     .bias = static_cast<uint8_t>(random() % 2),
			     .post = static_cast<uint8_t>(random() % 4)});
	}
}

TEST_CASE_METHOD(AtRest, "a region begins at its low end and ends before its high end", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4096);
	const uintptr_t pc = burner.start() + 0x100;

	const auto start = [&](uint64_t low, uint64_t high) {
		auto region = one_counter(low, high, counters.at());

		/* Ticks outside count in a second counter, so that all ticks are visible. */
		auto how = describe(region);
		how.overflow = counters.address() + 64;
		how.overflow_width = 8;
		device.start(how);
	};
	const auto ticks_inside = [&](uint64_t low, uint64_t high) {
		const auto before = counter<uint32_t>(counters);

		start(low, high);
		burn_ticks(device, burner, pc, 20);
		device.stop();
		return counter<uint32_t>(counters) - before;
	};
	for (const uint64_t low : {pc, pc - 1}) {
		const auto before = counter<uint32_t>(counters);

		start(low, pc + 1);
		burner.burn_until(pc, [&] { return counter<uint32_t>(counters) != before; });
		device.stop();
	}
	CHECK(ticks_inside(pc + 1, pc + 2) == 0); /* inside the loop's instruction */
	CHECK(ticks_inside(pc - 1, pc) == 0);
	CHECK(ticks_inside(0, pc) < 20);
}

TEST_CASE_METHOD(AtRest, "each of 1, 2, 64 and 1000 regions has its own counters", "[uapi]")
{
	const Device device;
	const Burner burner;
	/*
	 * The loops are far enough apart that none overwrites another: QEMU 7.2 for arm64 sometimes
	 * keeps executing the old code.
	 */
	const size_t step = 32;

	for (const size_t number : {1, 2, 64, 1000}) {
		const Memory counters(number * 8);
		std::vector<profil_region> regions;
		/* Neighbouring counters differ in width, and so does the first one from run to run. */
		for (size_t i = 0; i < number; i++)
			regions.push_back(one_counter(burner.start() + i * step,
						      burner.start() + i * step + CODE_LOOP_RETURN,
						      counters.at(i * 8), 2 << (i + number % 64) % 3));
		device.start(describe(regions));

		for (const size_t i : {size_t{0}, number / 3, number / 2, number - 1}) {
			CAPTURE(number, i);
			const auto before = counter<uint64_t>(counters, i),
				   sum = sum_counters<uint64_t>(counters);
			const auto ticks = burn_ticks(device, burner, burner.start() + i * step, 3);
			CHECK(counter<uint64_t>(counters, i) == before + ticks);
			CHECK(sum_counters<uint64_t>(counters) == sum + ticks);

			/* A loop between two regions, or after the last one. */
			burn_ticks(device, burner, burner.start() + i * step + step / 2, 3,
				   &profil_status::outside);
			CHECK(sum_counters<uint64_t>(counters) == sum + ticks);
		}
		CHECK(device.status().counted == sum_counters<uint64_t>(counters));
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "regions may share a counter, and counters may share a page", "[uapi]")
{
	const Device device;
	const Burner burner;
	const Memory counters(3 * 4096);
	const uintptr_t first = burner.start(), second = first + 64, third = first + 128;
	/* Counters in the last two bytes of a page, and in the first two of the next. */
	const std::vector<profil_region> regions = {
		one_counter(first, first + CODE_LOOP_RETURN, counters.at(4094), 2),
		one_counter(second, second + CODE_LOOP_RETURN, counters.at(4096), 2),
		one_counter(third, third + CODE_LOOP_RETURN, counters.at(4094), 2),
	};

	device.start(describe(regions));
	const auto a = burn_ticks(device, burner, first, 5);
	const auto b = burn_ticks(device, burner, second, 5);
	const auto c = burn_ticks(device, burner, third, 5);
	CHECK(device.status().pinned == 2 * 4096);
	CHECK(counter<uint16_t>(counters, 2047) == a + c);
	CHECK(counter<uint16_t>(counters, 2048) == b);
	CHECK(sum_counters<uint16_t>(counters) == a + b + c);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a histogram over many pages has every tick in its counter", "[uapi]")
{
	const Device device;
	const Burner burner;
	/* 64 KiB of code with 8 bytes for each address: 128 pages, starting inside a page. */
	const Memory counters(129 * 4096);
	const auto region = each_address(burner.start(), burner.start() + 0x10000, counters.at(2048), 8);

	device.start(describe(region));
	uint64_t sum = 0;
	for (const uint64_t address : {0x0, 0x101, 0x7fff - CODE_LOOP_RETURN, 0xffff - CODE_LOOP_RETURN}) {
		const auto at = code_place(address);
		/* The loop's return instruction has a counter here. */
		const auto ticks = burn_ticks(device, burner, burner.start() + at, 5);
		CAPTURE(at, ticks);
		const auto loop = counter<uint64_t>(counters, 256 + at);
		CHECK(loop + counter<uint64_t>(counters, 256 + at + CODE_LOOP_RETURN) == ticks);
		CHECK(loop > 0);
		sum += ticks;
	}
	CHECK(sum_counters<uint64_t>(counters) == sum);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "the counts of all profiles can be read while they run", "[uapi]")
{
	const auto before = module_ticks("ticks");
	const Device device;
	const Burner burner;
	const Memory counters(4096);

	device.start(describe(one_counter(burner.start(), burner.start() + CODE_LOOP_RETURN, counters.at())));
	for (int i = 0; i < 20; i++) {
		burn_ticks(device, burner, burner.start(), 3);
		const auto least = device.status().ticks;
		const auto all = module_ticks("ticks") - before;
		const auto most = device.status().ticks;
		CHECK(all >= least);
		CHECK(all <= most);
	}
	CHECK(module_stat("longest_chain") == 1);
	device.stop();
	CHECK(module_stat("longest_chain") == 0);
}
