// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/tru64.cpp  profil() of Tru64, both forms, as its manual page describes it. */
#include "tests/guest/flavour/support.h"
#include "tests/support/catch.h"

#include <profil/tru64.h>

using namespace guest;
using namespace lib_test;

namespace {

void *pointer(uintptr_t address)
{
	return reinterpret_cast<void *>(address);
}

profil_args range(volatile unsigned *buffer, uintptr_t low, uintptr_t high, unsigned scale = 0x10000)
{
	return {const_cast<unsigned *>(buffer), pointer(high), pointer(low), pointer(low), scale};
}

} // namespace

TEST_CASE_METHOD(AtRest, "Tru64: profil ticks 1024 times a second and rounds up to the next counter",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	/* A PC one byte above the offset is in the second counter. */
	profil(counters.counter, sizeof counters.counter, pointer(loop.pc() - 1), 0x10000);
	loop.spin_until([&] { return counters.counter[1] >= 3; });
	CHECK(counters.counter[0] == 0);
	CHECK(self_status().period == 1'000'000'000 / 1024);
	uint64_t period = 0;
	CHECK(profil_flavour_period("tru64", &period) == 0);
	CHECK(period == self_status().period);
	for (const unsigned scale : {PROFIL_SCALE_STOP, PROFIL_SCALE_STOP_1}) {
		profil(counters.counter, sizeof counters.counter, pointer(loop.pc()), 0x8000);
		REQUIRE(state() == PROFIL_STATE_RUNNING);
		profil(counters.counter, sizeof counters.counter, pointer(loop.pc()), scale);
		CHECK(state() == PROFIL_STATE_NONE);
	}
}

TEST_CASE_METHOD(AtRest, "Tru64: the extended form has 32-bit counters and ranges in decreasing order",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned>();
	profil_args args[] = {range(counters + 16, loop.pc(), loop.pc() + 15),
			      range(counters, loop.pc() - 32, loop.pc() - 1)};

	counters[16] = 0xfffe;
	CHECK(errno_of([&] { profil(args, 2, -1, 0); }) == 0);
	/* One counter for each four bytes. */
	loop.spin_until([&] { return counters[16] > 0x10002; });
	CHECK(counters[0] == 0);
	args[0].offset = pointer(loop.pc() - 8);
	profil(args, 1, -1, PROFIL_FLAGS_ALL_THREADS);
	loop.spin_until([&] { return counters[18] > 2; });
	profil(0, 0, 0, 0);
	CHECK(state() == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "Tru64: each form stops and replaces the other", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> shorts;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned>();
	profil_args one = range(counters, loop.pc(), loop.pc() + 3);

	profil(shorts.counter, sizeof shorts.counter, loop.pc(), 0x8000);
	REQUIRE(is_counted(loop, shorts.counter[0]));
	profil(&one, 1, -1, 0);
	loop.spin_until([&] { return counters[0] > 2; });
	const unsigned short left = shorts.counter[0];
	CHECK(is_left_alone(loop, shorts.counter[0]));
	profil(shorts.counter, sizeof shorts.counter, loop.pc(), 0x8000);
	const unsigned value = counters[0];
	loop.spin_until([&] { return shorts.counter[0] > left + 2; });
	CHECK(counters[0] == value);
}

TEST_CASE_METHOD(AtRest, "Tru64: invalid ranges are EINVAL and change nothing", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned>();
	std::vector<profil_args> many;

	for (unsigned i = 0; i < 65; i++)
		many.push_back(range(counters + i, loop.pc() - 4 * i, loop.pc() - 4 * i + 3));
	const auto error = [&](profil_args *args, int nr, unsigned long flags = 0) {
		return errno_of([&] { profil(args, nr, -1, flags); });
	};

	REQUIRE(error(many.data(), PROFIL_MAX) == 0);
	loop.spin_until([&] { return counters[0] > 2; });
	CHECK(error(many.data(), PROFIL_MAX + 1) == EINVAL);
	CHECK(error(many.data(), 0) == EINVAL);
	CHECK(error(many.data(), -1) == EINVAL);
	CHECK(error(many.data(), 1, 2) == EINVAL);
	CHECK(error(nowhere<profil_args>(), 1) == EFAULT);
	profil_args ascending[] = {many[1], many[0]};
	CHECK(error(ascending, 2) == EINVAL);
	profil_args overlapping[] = {many[0], range(counters, loop.pc() - 4, loop.pc() + 1)};
	CHECK(error(overlapping, 2) == EINVAL);
	profil_args same_low[] = {many[0], range(counters, loop.pc(), loop.pc())};
	CHECK(error(same_low, 2) == EINVAL);
	profil_args empty = range(counters, loop.pc() + 1, loop.pc());
	CHECK(error(&empty, 1) == EINVAL);
	profil_args equal[] = {many[0], many[0]};
	CHECK(error(equal, 2) == EINVAL);
	const unsigned before = counters[0];
	loop.spin_until([&] { return counters[0] > before + 2; });
}

TEST_CASE_METHOD(AtRest, "Tru64: of ranges that touch the higher one counts the PC that both have",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned>();
	profil_args args[] = {range(counters + 16, loop.pc(), loop.pc() + 15),
			      range(counters, loop.pc() - 32, loop.pc()),
			      range(counters + 32, loop.pc() - 33, loop.pc() - 32)};

	REQUIRE(errno_of([&] { profil(args, 3, -1, 0); }) == 0);
	loop.spin_until([&] { return counters[16] > 2; });
	CHECK(counters[8] == 0);
	/* Alone, the lower range counts its last PC. */
	REQUIRE(errno_of([&] { profil(args + 1, 1, -1, 0); }) == 0);
	loop.spin_until([&] { return counters[8] > 2; });
	/* The PC belongs to the higher range even if that range has scale 0 and counts nothing. */
	args[0].scale = PROFIL_SCALE_STOP;
	REQUIRE(errno_of([&] { profil(args, 2, -1, 0); }) == 0);
	const unsigned before = counters[8];
	const auto outside = self_status().outside;
	loop.spin_until([&] { return self_status().outside >= outside + 5; });
	CHECK(counters[8] == before);
}

TEST_CASE_METHOD(AtRest, "Tru64: the counter of a PC that a range leaves to the next one is not needed",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(2 * 4096);
	auto *const counters = memory.at<volatile unsigned>();
	/*
	 * The lower range's highpc is the next range's first PC.  Its counter would be on the
	 * read-only page.
	 */
	profil_args args[] = {range(counters, loop.pc() + 64, loop.pc() + 127),
			      range(counters + 1024 - 16, loop.pc(), loop.pc() + 64)};

	need(mprotect(memory.at(4096), 4096, PROT_READ), "mprotect");
	REQUIRE(errno_of([&] { profil(args, 2, -1, 0); }) == 0);
	loop.spin_until([&] { return counters[1024 - 16] > 2; });
}

TEST_CASE_METHOD(AtRest, "Tru64: the version 5 layout has no offset", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned>();
	profil_args_v5 args[] = {
		{const_cast<unsigned *>(counters + 8), pointer(loop.pc() + 3), pointer(loop.pc() - 4),
		 0x10000},
		{const_cast<unsigned *>(counters), pointer(loop.pc() - 5), pointer(loop.pc() - 20), 0x10000}};

	CHECK(errno_of([&] { profil_v5(args, 2, -1, 0); }) == 0);
	loop.spin_until([&] { return counters[9] > 2; });
	CHECK(counters[8] == 0);
	CHECK(counters[0] == 0);
}

TEST_CASE_METHOD(AtRest, "Tru64: a range that cannot be written is off while the others go on",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const ReadOnly read_only;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned>();
	profil_args args[] = {range(read_only.get<unsigned>(), loop.pc() + 64, loop.pc() + 127),
			      range(counters, loop.pc(), loop.pc() + 3)};

	CHECK(errno_of([&] { profil(args, 2, -1, 0); }) == 0);
	loop.spin_until([&] { return counters[0] > 2; });
}

TEST_CASE_METHOD(AtRest, "Tru64: a range whose counters are unmapped is off while the other goes on",
		 "[lib][flavour]")
{
	for (const size_t lost : {0, 1}) {
		TwoLoops loops;
		const OffAtEnd off;
		const size_t kept = 1 - lost;
		profil_args args[] = {range(loops.base<unsigned>(1), loops.pc(1), loops.pc(1) + 3),
				      range(loops.base<unsigned>(0), loops.pc(0), loops.pc(0) + 3)};

		CAPTURE(lost);
		REQUIRE(errno_of([&] { profil(args, 2, -1, 0); }) == 0);
		loops.count(lost);
		loops.count(kept);
		loops.lose(lost);
		REQUIRE(state() == PROFIL_STATE_RUNNING);
		loops.count(kept);
	}
}
