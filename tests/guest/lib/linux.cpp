// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/linux.cpp  profil() of Linux: the counter for a PC, the ways to turn the
 * profile off, and invalid arguments.
 */
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <numeric>
#include <sys/mman.h>
#include <vector>

using namespace guest;
using namespace lib_test;

TEST_CASE_METHOD(AtRest, "profil counts a loop in exactly the counter of its address", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<8> counters;

	/* The loop is 12 bytes above the offset: in the fourth counter. */
	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc() - 12, four_bytes) == 0);
	loop.spin_until([&] { return counters.counter[3] >= 20; });

	const profil_status status = self_status();

	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(counters.only(3));
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(status.counted >= 20);
	CHECK(counters.counter[3] >= status.counted);
	CHECK(status.kernel == 0); /* kernel ticks are charged to the program */
	CHECK(status.ticks == accounted(status));
}

TEST_CASE_METHOD(AtRest, "profil finds the counter by Linux's arithmetic for every scale", "[lib][profil]")
{
	struct Vector {
		uint64_t distance;
		unsigned scale;
		size_t counters;
		size_t index; /* equal to `counters`: not counted */
	};
	const Vector vectors[] = {
		{0, 0x10000, 8, 0},	{1, 0x10000, 8, 0},	    {2, 0x10000, 8, 1},
		{3, 0x10000, 8, 1},	{3, 0xffff, 8, 0},	    {2, 0x8000, 8, 0},
		{4, 0x8000, 8, 1},	{4, 0x7fff, 8, 0},	    {5, 0x20000, 8, 4},
		{4, 0x4000, 8, 0},	{8, 0x4000, 8, 1},	    {7, 0x10001, 8, 3},
		{0x10001, 2, 8, 1},	{0x30000, 2, 8, 3},	    {0x1ffff, 1, 8, 0},
		{0x30000, 1, 8, 1},	{0x2aaac, 3, 8, 4},	    {15, 0x10000, 8, 7},
		{16, 0x10000, 8, 8},	{2, 0xffffffff, 8, 8},	    {0, 0xffffffff, 8, 0},
		{0x80000, 2, 8, 8},	{0x7ffff, 2, 8, 7},	    {0x100000004, 0x10000, 128, 128},
		{0x100000000, 2, 8, 8}, {0x200000, 0x10, 512, 256},
	};
	const Loop loop(0x500000000000); /* with room below */
	const OffAtEnd off;

	for (const Vector &v : vectors) {
		std::vector<unsigned short> memory(v.counters + 1);
		volatile unsigned short *counters = memory.data();

		INFO(std::hex << "distance " << v.distance << " scale " << v.scale);
		REQUIRE(call_profil(counters, v.counters * 2, loop.pc() - v.distance, v.scale) == 0);
		if (v.index == v.counters)
			loop.spin_ms(40);
		else
			loop.spin_until([&] { return counters[v.index] != 0; });
		REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
		/* A coarse scale may also reach the loop's caller, so look only at this page. */
		int expected = v.index == v.counters ? 0 : counters[v.index];
		/*
		 * A tick is sometimes at the end of the loop, two bytes further; more often on a
		 * busy host.
		 */
		const size_t behind = ((v.distance + 2) / 2 * v.scale) >> 16;

		if (behind != v.index && behind < v.counters)
			expected += counters[behind];
		CHECK(counters[v.counters] == 0);
		if (v.distance < 0x1000)
			CHECK(std::accumulate(memory.begin(), memory.end(), 0) == expected);
	}
}

TEST_CASE_METHOD(AtRest, "a PC below the offset is not counted", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc() + 8, 0x10000) == 0);
	loop.spin_ms(60);
	CHECK(counters.is_zero());
	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc(), 0x10000) == 0);
	loop.spin_until([&] { return counters.counter[0] != 0; });
}

TEST_CASE_METHOD(AtRest, "each way to turn profil off works", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	volatile unsigned short *const buffer = counters.counter;
	const auto turn_on = [&] {
		REQUIRE(call_profil(buffer, sizeof counters.counter, loop.pc(), four_bytes) == 0);
		REQUIRE(is_counted(loop, buffer[0]));
	};

	turn_on();
	CHECK(call_profil(buffer, sizeof counters.counter, loop.pc(), 0) == 0);
	CHECK(is_off(loop, buffer[0]));
	CHECK(self_status().state == PROFIL_STATE_NONE);

	turn_on();
	CHECK(call_profil(nullptr, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	CHECK(is_off(loop, buffer[0]));

	turn_on();
	CHECK(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(is_off(loop, buffer[0]));

	/* A size too small for a counter is not an error, but turns profiling off. */
	for (const size_t size : {0, 1}) {
		turn_on();
		CHECK(call_profil(buffer, size, loop.pc(), four_bytes) == 0);
		CHECK(is_off(loop, buffer[0]));
	}
	CHECK(counters.only(0));

	/* Turning the profile off while it is off is not an error. */
	CHECK(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(call_profil(buffer, sizeof counters.counter, loop.pc(), 0) == 0);
}

TEST_CASE_METHOD(AtRest, "sizes are rounded down to whole counters and nothing is written behind them",
		 "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const size_t size : {2, 3, 4, 5}) {
		Guarded<4> counters;

		INFO("size " << size);
		/* First with the loop in the last whole counter ... */
		REQUIRE(call_profil(counters.counter, size, loop.pc() - 4 * (size / 2 - 1), four_bytes) == 0);
		loop.spin_until([&] { return counters.counter[size / 2 - 1] != 0; });
		CHECK(counters.only(size / 2 - 1));
		/* ... then one counter further. */
		REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
		counters.counter[size / 2 - 1] = 0;
		REQUIRE(call_profil(counters.counter, size, loop.pc() - 4 * (size / 2), four_bytes) == 0);
		loop.spin_ms(60);
		REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
		CHECK(counters.is_zero());
	}
}

TEST_CASE_METHOD(AtRest, "a second profil replaces the first", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> first;
	Guarded<4> second;

	REQUIRE(call_profil(first.counter, sizeof first.counter, loop.pc(), four_bytes) == 0);
	REQUIRE(is_counted(loop, first.counter[0]));
	REQUIRE(call_profil(second.counter, sizeof second.counter, loop.pc() - 4, four_bytes) == 0);

	const unsigned short left = first.counter[0];

	REQUIRE(is_counted(loop, second.counter[1]));
	CHECK(first.counter[0] == left);
	CHECK(first.only(0));
	CHECK(second.only(1));
}

TEST_CASE_METHOD(AtRest, "a call that fails leaves the previous profile on", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<8> counters;
	auto *bytes = reinterpret_cast<volatile unsigned char *>(counters.counter);
	void *read_only = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *last_page = mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	auto *in_no_page = reinterpret_cast<volatile unsigned short *>(4096);

	REQUIRE(read_only != MAP_FAILED);
	REQUIRE(last_page != MAP_FAILED);
	REQUIRE(munmap(static_cast<char *>(last_page) + 4096, 4096) == 0);
	REQUIRE(call_profil(counters.counter, 8, loop.pc(), four_bytes) == 0);

	const auto fails = [&](volatile void *buffer, size_t size, size_t offset, int error) {
		errno = 0;
		CHECK(call_profil(static_cast<volatile unsigned short *>(buffer), size, offset, four_bytes) ==
		      -1);
		CHECK(errno == error);
		CHECK(is_counted(loop, counters.counter[0]));
	};

	fails(bytes + 1, 4, loop.pc(), EINVAL);
	fails(in_no_page, 4, loop.pc(), EFAULT);
	fails(read_only, 4, loop.pc(), EFAULT);
	fails(last_page, 2 * 4096, loop.pc(), EFAULT);
	CHECK(counters.only(0));
	munmap(read_only, 4096);
	munmap(last_page, 4096);
}

TEST_CASE_METHOD(AtRest, "a call that succeeds changes neither errno nor the descriptors", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	const int before = dup(0);

	close(before);
	errno = EXDEV;
	CHECK(call_profil(counters.counter, 8, loop.pc(), four_bytes) == 0);
	CHECK(errno == EXDEV);
	CHECK(call_profil(counters.counter, 8, loop.pc(), 0) == 0);
	CHECK(errno == EXDEV);
	const int after = dup(0);

	close(after);
	CHECK(before == after);
}

TEST_CASE_METHOD(AtRest, "a counter wraps from 65535 to 0", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	counters.counter[1] = 65534;
	REQUIRE(call_profil(counters.counter, 8, loop.pc() - 4, four_bytes) == 0);
	loop.spin_until([&] { return counters.counter[1] >= 3 && counters.counter[1] < 30000; });
	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(counters.only(1));
}
