// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/bsd.cpp  profil() of the BSDs and add_profil() of macOS, as their manual
 * pages describe them.
 */
#include "tests/guest/flavour/support.h"
#include "tests/support/catch.h"

#include <atomic>
#include <thread>

#include <profil/bsd.h>

using namespace guest;
using namespace lib_test;

namespace {

int call(volatile unsigned short *samples, size_t size, size_t offset, unsigned scale)
{
	return profil(reinterpret_cast<char *>(const_cast<unsigned short *>(samples)), size, offset, scale);
}

int add(volatile unsigned short *samples, size_t size, size_t offset, unsigned scale)
{
	return add_profil(reinterpret_cast<char *>(const_cast<unsigned short *>(samples)), size, offset,
			  scale);
}

} // namespace

TEST_CASE_METHOD(AtRest, "BSD: a scale above 0x10000 is EINVAL and changes nothing", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	REQUIRE(call(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	for (const unsigned scale : {0x10001U, 0x20000U, 0xffffffffU}) {
		CHECK(call(counters.counter, sizeof counters.counter, loop.pc(), scale) == -1);
		CHECK(errno == EINVAL);
	}
	CHECK(is_counted(loop, counters.counter[0]));
	CHECK(call(counters.counter, sizeof counters.counter, loop.pc(), 0) == 0);
	CHECK(state() == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "BSD: an illegal buffer is EFAULT and ends profiling", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const ReadOnly read_only;
	Guarded<4> counters;

	for (unsigned short *bad : {static_cast<unsigned short *>(nullptr), read_only.get<unsigned short>(),
				    nowhere<unsigned short>()}) {
		REQUIRE(call(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) == 0);
		REQUIRE(is_counted(loop, counters.counter[0]));
		CHECK(call(bad, 4, loop.pc(), four_bytes) == -1);
		CHECK(errno == EFAULT);
		CHECK(state() == PROFIL_STATE_NONE);
	}
}

TEST_CASE_METHOD(AtRest, "BSD: scales 1 and 2 are not special", "[lib][flavour]")
{
	const Loop loop(0x500000000000);
	const OffAtEnd off;
	Guarded<4> counters;

	REQUIRE(call(counters.counter, sizeof counters.counter, loop.pc() - 0x30000, 2) == 0);
	loop.spin_until([&] { return counters.counter[3] >= 3; });
	REQUIRE(call(counters.counter, sizeof counters.counter, loop.pc() - 0x30000, 1) == 0);
	loop.spin_until([&] { return counters.counter[1] >= 3; });
	CHECK(counters.counter[0] == 0);
	CHECK(counters.counter[2] == 0);
}

TEST_CASE_METHOD(AtRest, "BSD: add_profil adds a buffer until the next profil", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> elsewhere, here;

	/* add_profil does nothing while profiling is off. */
	CHECK(add(here.counter, sizeof here.counter, loop.pc(), four_bytes) == 0);
	CHECK(state() == PROFIL_STATE_NONE);

	REQUIRE(call(elsewhere.counter, sizeof elsewhere.counter, loop.pc() + 0x100, four_bytes) == 0);
	REQUIRE(add(here.counter, sizeof here.counter, loop.pc(), four_bytes) == 0);
	loop.spin_until([&] { return here.counter[0] >= 3; });
	CHECK(elsewhere.is_zero());

	auto *const odd = reinterpret_cast<volatile unsigned short *>(
		reinterpret_cast<volatile char *>(here.counter) + 1);
	CHECK(add(odd, 4, loop.pc(), four_bytes) == -1);
	CHECK(errno == EINVAL);
	CHECK(is_counted(loop, here.counter[0]));

	REQUIRE(call(elsewhere.counter, sizeof elsewhere.counter, loop.pc() + 0x100, four_bytes) == 0);
	CHECK(is_left_alone(loop, here.counter[0]));
	CHECK(here.only(0));
}

TEST_CASE_METHOD(AtRest,
		 "BSD: of buffers that cover a PC profil's own counts it, else the one that was added last",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> own, oldest, older, newest;

	/* The first buffer begins below the loop and ends before it. */
	REQUIRE(call(own.counter, sizeof own.counter, loop.pc() - 16, four_bytes) == 0);
	REQUIRE(add(oldest.counter, sizeof oldest.counter, loop.pc(), four_bytes) == 0);
	CHECK(is_counted(loop, oldest.counter[0]));
	REQUIRE(add(older.counter, sizeof older.counter, loop.pc() - 4, four_bytes) == 0);
	CHECK(is_counted(loop, older.counter[1]));
	REQUIRE(add(newest.counter, sizeof newest.counter, loop.pc() - 8, four_bytes) == 0);
	const unsigned short before_oldest = oldest.counter[0], before_older = older.counter[1];
	loop.spin_until([&] { return newest.counter[2] >= 5; });
	CHECK(oldest.counter[0] == before_oldest);
	CHECK(older.counter[1] == before_older);

	/* profil()'s own buffer takes precedence over all that were added. */
	Guarded<4> first;
	REQUIRE(call(first.counter, sizeof first.counter, loop.pc() - 12, four_bytes) == 0);
	REQUIRE(add(oldest.counter, sizeof oldest.counter, loop.pc(), four_bytes) == 0);
	REQUIRE(add(older.counter, sizeof older.counter, loop.pc() - 4, four_bytes) == 0);
	loop.spin_until([&] { return first.counter[3] >= 5; });
	CHECK(first.only(3));
	CHECK(oldest.counter[0] == before_oldest);
	CHECK(older.counter[1] == before_older);
	CHECK(own.is_zero());
}

TEST_CASE_METHOD(AtRest,
		 "BSD: add_profil returns 0 for a scale above 0x10000, which counts, and for a bad buffer",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const ReadOnly read_only;
	Guarded<4> elsewhere, finer;

	REQUIRE(call(elsewhere.counter, sizeof elsewhere.counter, loop.pc() + 0x100, four_bytes) == 0);
	/* With scale 0x20000, each byte of text has a counter. */
	CHECK(add(finer.counter, sizeof finer.counter, loop.pc() - 1, 0x20000) == 0);
	loop.spin_until([&] { return finer.counter[1] >= 3; });
	for (unsigned short *bad : {static_cast<unsigned short *>(nullptr), read_only.get<unsigned short>(),
				    nowhere<unsigned short>()}) {
		errno = 0;
		CHECK(add(bad, 4, loop.pc() + 0x200, four_bytes) == 0);
		CHECK(errno == 0);
		CHECK(is_counted(loop, finer.counter[1]));
	}
	CHECK(elsewhere.is_zero());
}

TEST_CASE_METHOD(AtRest, "BSD: add_profil adds up to 99 buffers and refuses more", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);

	REQUIRE(call(memory.at<unsigned short>(), 2, loop.pc() - 400, 0x10000) == 0);
	for (unsigned i = 1; i < 100; i++)
		REQUIRE(add(memory.at<unsigned short>(2 * i), 2, loop.pc() - 400 + 4 * i, 0x10000) == 0);
	CHECK(add(memory.at<unsigned short>(200), 2, loop.pc(), 0x10000) == -1);
	CHECK(errno == ENOMEM);
	CHECK(state() == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "BSD: add_profil adds nothing to another flavour's profile", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> before, others, added;

	REQUIRE(call(before.counter, sizeof before.counter, loop.pc(), four_bytes) == 0);
	REQUIRE(call_profil(others.counter, sizeof others.counter, loop.pc(), four_bytes) == 0);
	const unsigned short left = before.counter[0];
	CHECK(add(added.counter, sizeof added.counter, loop.pc() + 0x100, four_bytes) == 0);
	CHECK(is_counted(loop, others.counter[0]));
	CHECK(before.counter[0] == left);
}

TEST_CASE_METHOD(AtRest, "BSD: a child forked while another thread is in a call does not hang",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	std::atomic<bool> done = false;
	std::thread busy([&] {
		while (!done)
			call(counters.counter, sizeof counters.counter, loop.pc(), four_bytes);
	});

	for (int i = 0; i < 30; i++)
		CHECK(in_child([&] {
			      return call(counters.counter, sizeof counters.counter, loop.pc(), 0);
		      }) == 0);
	done = true;
	busy.join();
}
