// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/solaris.cpp  profil() of Solaris, as its manual page describes it. */
#include "tests/guest/flavour/support.h"
#include "tests/support/catch.h"

#include <profil/solaris.h>

using namespace guest;
using namespace lib_test;

TEST_CASE_METHOD(AtRest, "Solaris: profiling ends instead of counting beyond 32767", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const unsigned short preset : {32765, 32766, 32767, 32768, 65535}) {
		Guarded<2> counters;

		INFO("preset to " << preset);
		counters.counter[0] = preset;
		profil(const_cast<unsigned short *>(counters.counter), sizeof counters.counter, loop.pc(),
		       four_bytes);
		loop.spin_until([&] { return state() == PROFIL_STATE_LIMIT; });
		CHECK(counters.counter[0] == std::max<unsigned short>(preset, 32767));
		CHECK(counters.only(0));
	}
}

TEST_CASE_METHOD(AtRest, "Solaris: scales 0 and 1 and a buffer of no counter turn it off", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	auto *const buffer = const_cast<unsigned short *>(counters.counter);
	const auto turn_on = [&] {
		profil(buffer, sizeof counters.counter, loop.pc(), four_bytes);
		REQUIRE(is_counted(loop, buffer[0]));
	};

	for (const unsigned scale : {0, 1}) {
		turn_on();
		profil(buffer, sizeof counters.counter, loop.pc(), scale);
		CHECK(state() == PROFIL_STATE_NONE);
	}
	for (const size_t size : {0, 1}) {
		for (const unsigned scale : {2U, 0x10000U}) {
			turn_on();
			profil(buffer, size, loop.pc(), scale);
			CHECK(state() == PROFIL_STATE_NONE);
		}
	}
	profil(buffer, 0, 0, 0);
	CHECK(counters.only(0));
}

TEST_CASE_METHOD(AtRest, "Solaris: scale 2 counts everything above the offset in the first counter",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	profil(const_cast<unsigned short *>(counters.counter), sizeof counters.counter, 0, 2);
	loop.spin_until([&] { return counters.counter[0] >= 5; });
	CHECK(counters.only(0));
	CHECK(self_status().outside == 0);
	profil(const_cast<unsigned short *>(counters.counter), sizeof counters.counter, loop.pc() + 8, 2);
	CHECK(is_left_alone(loop, counters.counter[1]));
}

TEST_CASE_METHOD(AtRest, "Solaris: profiling ends without an error at the first tick that meets no memory",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const ReadOnly read_only;
	Guarded<4> counters;
	auto *const buffer = const_cast<unsigned short *>(counters.counter);
	auto *const odd = reinterpret_cast<unsigned short *>(reinterpret_cast<char *>(buffer) + 1);

	for (unsigned short *bad : {static_cast<unsigned short *>(nullptr), read_only.get<unsigned short>(),
				    nowhere<unsigned short>(), odd}) {
		profil(buffer, sizeof counters.counter, loop.pc(), four_bytes);
		REQUIRE(is_counted(loop, buffer[0]));
		CHECK(errno_of([&] { profil(bad, 4, loop.pc(), four_bytes); }) == 0);
		if (bad != odd)
			loop.spin_until([&] { return state() == PROFIL_STATE_FAULT; });
		else
			CHECK(state() == PROFIL_STATE_NONE);
	}
}

TEST_CASE_METHOD(AtRest, "Solaris: profil and pcsample replace each other, and profil zeroes the count",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	auto *const buffer = const_cast<unsigned short *>(counters.counter);
	std::vector<uintptr_t> samples(64);

	REQUIRE(pcsample(samples.data(), 64) == 0);
	loop.spin_until([&] { return self_status().stored >= 3; });
	profil(buffer, sizeof counters.counter, loop.pc(), four_bytes);
	REQUIRE(is_counted(loop, buffer[0]));
	CHECK(pcsample(samples.data(), 64) == 0);
	const unsigned short counted = buffer[0];
	loop.spin_until([&] { return self_status().stored >= 3; });
	CHECK(buffer[0] == counted);
	CHECK(pcsample(nullptr, 0) >= 3);
	CHECK(pcsample(nullptr, -1) == -1);
	CHECK(errno == EINVAL);
}
