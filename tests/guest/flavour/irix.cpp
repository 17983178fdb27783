// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/irix.cpp  profil() and sprofil() of IRIX, as their manual pages describe
 * them.
 */
#include "tests/guest/flavour/support.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <cstring>
#include <sys/auxv.h>
#include <sys/resource.h>

#include <profil/irix.h>

extern "C" int profil_(unsigned short *, const int *, const int *, const int *);

using namespace guest;
using namespace lib_test;

namespace {

int start(std::vector<prof> entries, unsigned flags = PROF_USHORT)
{
	return sprofil(entries.data(), static_cast<int>(entries.size()), nullptr, flags);
}

} // namespace

TEST_CASE_METHOD(AtRest, "IRIX: Fortran's offset of four bytes counts where it is, in a PIE, too",
		 "[lib][flavour][fortran]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<2> counters;
	auto *const buffer = const_cast<unsigned short *>(counters.counter);
	const int size = sizeof counters.counter, offset = static_cast<int>(loop.pc()), scale = four_bytes;

	REQUIRE(getauxval(AT_ENTRY) > UINT32_MAX);
	errno = 0;
	CHECK(profil_(buffer, &size, &offset, &scale) == 0);
	CHECK(errno == 0);
	CHECK(is_counted(loop, counters.counter[0]));
	CHECK(profil(nullptr, 0, 0, 0) == 0);
	CHECK(counters.only(0));
}

TEST_CASE_METHOD(AtRest, "IRIX: profil wraps its counters and always returns 0", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<2> counters;
	auto *const buffer = const_cast<unsigned short *>(counters.counter);

	buffer[0] = 65534;
	CHECK(profil(buffer, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	loop.spin_until([&] { return counters.counter[0] < 30000 && counters.counter[0] >= 2; });
	CHECK(counters.only(0));
	CHECK(profil(nullptr, 4, loop.pc(), four_bytes) == 0);
	loop.spin_until([&] { return state() == PROFIL_STATE_FAULT; });
	CHECK(profil(buffer, sizeof counters.counter, loop.pc(), 0x20000) == 0);
	CHECK(state() == PROFIL_STATE_RUNNING);
	CHECK(profil(buffer, sizeof counters.counter, loop.pc(), 1) == 0);
	CHECK(state() == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "IRIX: sprofil counts in the region with the largest offset strictly below",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;
	const auto entry = [&](size_t region, size_t offset, unsigned size = 64) {
		return prof{counters.base(region), size, offset, four_bytes};
	};

	/* The entries are not sorted. */
	REQUIRE(start({entry(0, loop.pc() - 2), entry(1, loop.pc() + 8), entry(2, loop.pc() - 3)}) == 0);
	CHECK(counters.which(loop, 3) == 0);
	/* A PC at the offset is not strictly above it. */
	REQUIRE(start({entry(0, loop.pc()), entry(1, loop.pc() - 1)}) == 0);
	CHECK(counters.which(loop, 2) == 1);
	/* It does not count there even if the region below has no counter for it. */
	REQUIRE(start({entry(0, loop.pc()), entry(1, loop.pc() - 8, 2)}) == 0);
	CHECK(is_left_alone(loop, counters.at(0)));
	/* With equal offsets, the first region counts. */
	REQUIRE(start({entry(0, loop.pc() - 8), entry(1, loop.pc() - 1), entry(2, loop.pc() - 1)}) == 0);
	CHECK(counters.which(loop, 3) == 1);
}

TEST_CASE_METHOD(AtRest,
		 "IRIX: the lowest region of sprofil also counts the PC at its offset, as profil does",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;
	const prof lowest = {counters.base(0), 64, loop.pc(), four_bytes};
	const prof higher = {counters.base(1), 64, loop.pc() + 64, four_bytes};
	const prof overflow = {counters.base(2), 2, 0, 2};

	for (const auto &entries : std::vector<std::vector<prof>>{
		     {lowest}, {lowest, higher}, {higher, lowest, overflow}, {lowest, lowest}}) {
		INFO(entries.size() << " entries");
		REQUIRE(start(entries) == 0);
		CHECK(counters.which(loop, 3) == 0);
	}
	/* A PC one byte below the lowest region is below all regions. */
	prof above = lowest;
	above.pr_off++;
	REQUIRE(start({above, overflow}) == 0);
	CHECK(counters.which(loop, 3) == 2);
	CHECK(counters.at(0) == 0);
	/*
	 * The same holds for scale 2.  With scale 0, not even the overflow entry counts the tick.
	 */
	REQUIRE(start({{counters.base(0), 64, loop.pc(), 2}}) == 0);
	CHECK(counters.which(loop, 1) == 0);
	REQUIRE(start({{counters.base(0), 64, loop.pc(), 0}, higher, overflow}) == 0);
	const auto before = self_status().outside;
	loop.spin_until([&] { return self_status().outside >= before + 5; });
}

TEST_CASE_METHOD(AtRest, "IRIX: PROF_USHORT and PROF_UINT together are counters of 32 bits", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned>();

	/*
	 * A 32-bit counter covers four bytes of text: a PC four bytes up is in the second counter.
	 */
	counters[1] = 0xffff;
	REQUIRE(start({{memory.at(), 64, loop.pc() - 4, 0x10000}}, PROF_USHORT | PROF_UINT) == 0);
	loop.spin_until([&] { return counters[1] >= 0x10002; });
	CHECK(counters[0] == 0);
	CHECK(counters[2] == 0);
	/* Counters of 32 bits need a buffer that is aligned to four bytes. */
	const prof at_two = {memory.at(2), 64, loop.pc(), 0x10000};
	CHECK(start({at_two}, PROF_USHORT | PROF_UINT) == -1);
	CHECK(errno == EINVAL);
	CHECK(start({at_two}, PROF_USHORT) == 0);
}

TEST_CASE_METHOD(AtRest,
		 "IRIX: a PC beyond its region's end counts in the overflow entry, not in another region",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;

	/* The second region ends before the loop; the first one includes the loop. */
	REQUIRE(start({{counters.base(0), 64, loop.pc() - 32, 0x8000},
		       {counters.base(1), 2, loop.pc() - 16, 0x8000},
		       {counters.base(2), 2, 0, 2}}) == 0);
	CHECK(counters.which(loop, 3) == 2);
	CHECK(counters.at(0) == 0);
	CHECK(counters.at(1) == 0);
	/* A PC below all regions. */
	REQUIRE(start({{counters.base(0), 64, loop.pc() + 32, 0x8000}, {counters.base(1), 2, 0, 2}}) == 0);
	CHECK(counters.which(loop, 2) == 1);
	/* Without an overflow entry such ticks count nowhere. */
	REQUIRE(start({{counters.base(0), 64, loop.pc() + 32, 0x8000}}) == 0);
	CHECK(is_left_alone(loop, counters.at(0)));
}

TEST_CASE_METHOD(AtRest, "IRIX: a region with scale 0 or 1 swallows its ticks", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;

	for (const unsigned scale : {0U, 1U}) {
		memset(counters.memory.at(), 0, 4096);
		REQUIRE(start({{counters.base(0), 64, loop.pc() - 32, 0x8000},
			       {counters.base(1), 64, loop.pc() - 16, scale},
			       {counters.base(2), 2, 0, 2}}) == 0);
		const auto before = self_status().outside;
		loop.spin_until([&] { return self_status().outside >= before + 5; });
		CHECK(counters.at(0) == 0);
		CHECK(counters.at(1) == 0);
	}
	REQUIRE(start({{counters.base(0), 64, loop.pc() - 32, 1}}) == 0);
	CHECK(state() == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "IRIX: a single entry with offset 0 and scale 2 is a clock", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;

	REQUIRE(start({{counters.base(0), 4, 0, 2}}, PROF_UINT) == 0);
	loop.spin_until([&] { return counters.at(0) >= 5; });
	CHECK(self_status().outside == 0);
}

TEST_CASE_METHOD(AtRest, "IRIX: sprofil checks its arguments in the order of its manual page",
		 "[lib][flavour]")
{
	const OffAtEnd off;
	const Counters counters;
	timeval tv;
	std::vector<prof> good(101, prof{counters.base(0), 64, 0x1000, 0x8000});
	const auto refused = [&](prof *entries, int nr, timeval *tvp, unsigned flags) {
		errno = 0;
		return sprofil(entries, nr, tvp, flags) == -1 ? errno : 0;
	};

	CHECK(refused(nowhere<prof>(), 0, nowhere<timeval>(), 0) == E2BIG);
	CHECK(refused(good.data(), -1, &tv, PROF_USHORT) == E2BIG);
	CHECK(refused(good.data(), PROFIL_MAX + 1, &tv, PROF_USHORT) == E2BIG);
	CHECK(refused(nowhere<prof>(), 1, nowhere<timeval>(), 0) == EFAULT);
	CHECK(refused(nullptr, 1, &tv, PROF_USHORT) == EFAULT);
	for (const unsigned flags : {0U, 4U, 8U | PROF_USHORT})
		CHECK(refused(good.data(), 1, nowhere<timeval>(), flags) == EINVAL);
	CHECK(refused(good.data(), 1, nowhere<timeval>(), PROF_USHORT) == EFAULT);
	good[0].pr_off = 0;
	good[0].pr_scale = 2;
	CHECK(refused(good.data(), 2, nowhere<timeval>(), PROF_USHORT) == EINVAL);
	CHECK(refused(good.data(), 1, &tv, PROF_USHORT) == 0);
	good[0] = {static_cast<char *>(counters.base(0)) + 2, 64, 0x1000, 0x8000};
	CHECK(refused(good.data(), 1, &tv, PROF_UINT) == EINVAL);
	CHECK(refused(good.data(), PROFIL_MAX, &tv, PROF_USHORT) == 0);
}

TEST_CASE_METHOD(AtRest, "IRIX: sprofil returns the true time between two ticks", "[lib][flavour]")
{
	const OffAtEnd off;
	const Counters counters;
	prof entry = {counters.base(0), 64, 0x1000, 0x8000};
	timeval tv = {9, 9};

	REQUIRE(sprofil(&entry, 1, &tv, PROF_USHORT) == 0);
	CHECK(tv.tv_sec == 0);
	CHECK(tv.tv_usec == 10'000);
	CHECK(self_status().period == 10'000'000);
	REQUIRE(sprofil(&entry, 1, &tv, PROF_UINT | PROF_FAST) == 0);
	CHECK(tv.tv_usec == 10'000 / PROF_FAST_CNT);
	CHECK(self_status().period == 1'000'000);
}

TEST_CASE_METHOD(AtRest, "IRIX: a region that cannot be written is off while the others go on",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;
	const ReadOnly read_only;

	REQUIRE(start({{counters.base(0), 64, loop.pc() - 8, 0x8000},
		       {read_only.get<void>(), 64, loop.pc() + 64, 0x8000}}) == 0);
	loop.spin_until([&] { return counters.memory.at<volatile unsigned short>()[2] >= 3; });
	CHECK(state() == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "IRIX: a region whose counters are unmapped is off while the other goes on",
		 "[lib][flavour]")
{
	for (const size_t lost : {0, 1}) {
		TwoLoops loops;
		const OffAtEnd off;
		const size_t kept = 1 - lost;

		CAPTURE(lost);
		REQUIRE(start({{loops.base<void>(0), 64, loops.pc(0) - 8, 0x8000},
			       {loops.base<void>(1), 64, loops.pc(1) - 8, 0x8000}}) == 0);
		loops.count(lost);
		loops.count(kept);
		loops.lose(lost);
		REQUIRE(state() == PROFIL_STATE_RUNNING);
		loops.count(kept);
	}
}

TEST_CASE_METHOD(AtRest, "IRIX: an overflow entry without a counter leaves the regions on", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;

	for (void *nothing : {static_cast<void *>(nullptr), reinterpret_cast<void *>(8)}) {
		REQUIRE(start({{counters.base(0), 64, loop.pc() - 8, 0x8000}, {nothing, 4, 0, 2}},
			      PROF_UINT) == 0);
		CHECK(state() == PROFIL_STATE_RUNNING);
		const auto before = self_status().counted;
		loop.spin_until([&] { return self_status().counted >= before + 3; });
	}
}

TEST_CASE_METHOD(AtRest, "IRIX: an old buffer is not written even if its replacement fails", "[lib][flavour]")
{
	/* profil returns 0, so the caller assumes that the old buffer is free. */
	CHECK(in_child([] {
		const rlimit none = {};
		static volatile unsigned short first[16], second[16];
		const Loop loop;

		need_that(profil(const_cast<unsigned short *>(first), sizeof first, 0, 2) == 0, "it starts");
		is_counted(loop, first[0]);
		need(setrlimit(RLIMIT_NOFILE, &none), "RLIMIT_NOFILE");
		need_that(profil(const_cast<unsigned short *>(second), sizeof second, 0, 2) == 0,
			  "profil returns 0");
		return is_off(loop, first[0]) && !second[0];
	}));
}
