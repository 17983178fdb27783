// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/linux.cpp  sprofil() of Linux, and the symbols without a flavour. */
#include "tests/guest/flavour/support.h"
#include "tests/support/catch.h"

#include <bit>
#include <sys/auxv.h>

#include <profil/linux.h>

using namespace guest;
using namespace lib_test;

namespace {

int start(std::vector<prof> entries, unsigned flags = PROF_USHORT)
{
	return sprofil(entries.data(), static_cast<int>(entries.size()), nullptr, flags);
}

/** profil() under the symbol that glibc also exports. */
extern "C" int plain(unsigned short *, size_t, size_t, unsigned) __asm__("profil");

} // namespace

TEST_CASE_METHOD(AtRest,
		 "Linux: sprofil counts in the region with the largest offset of those that hold the PC",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;

	/* The inner region ends before the loop; the outer one continues past it. */
	REQUIRE(start({{counters.base(0), 64, loop.pc() - 64, 0x8000},
		       {counters.base(1), 2, loop.pc() - 16, 0x8000}}) == 0);
	loop.spin_until([&] { return counters.memory.at<volatile unsigned short>()[16] >= 3; });
	CHECK(counters.at(1) == 0);
	/* The inner region holds the loop: a PC at the offset is inside. */
	REQUIRE(start({{counters.base(1), 2, loop.pc(), 0x8000},
		       {counters.base(2), 64, loop.pc() - 64, 0x8000}}) == 0);
	loop.spin_until([&] { return counters.at(1) >= 3; });
	CHECK(counters.memory.at<unsigned short>(2 * 64)[16] == 0);
}

TEST_CASE_METHOD(AtRest, "Linux: of sprofil's entries with the same offset the first counts",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;
	const size_t offset = loop.pc() - 8;
	const auto counter = [&](size_t region) {
		return counters.memory.at<volatile unsigned short>(region * 64)[2];
	};

	REQUIRE(start({{counters.base(0), 64, offset, 0x8000},
		       {counters.base(1), 64, offset, 0x8000},
		       {counters.base(2), 32, offset, 0x8000}}) == 0);
	loop.spin_until([&] { return counter(0) + counter(1) + counter(2) >= 3; });
	CHECK(counter(0) >= 3);
	CHECK(counter(1) == 0);
	CHECK(counter(2) == 0);
	/* If the first entry's counters end before the PC, the next entry counts it. */
	REQUIRE(start({{counters.base(3), 4, offset, 0x8000},
		       {counters.base(4), 64, offset, 0x8000},
		       {counters.base(5), 64, offset, 0x8000}}) == 0);
	loop.spin_until([&] { return counter(4) + counter(5) >= 3; });
	CHECK(counter(4) >= 3);
	CHECK(counter(5) == 0);
}

TEST_CASE_METHOD(AtRest, "Linux: the overflow entry may be anywhere, and counters stay at their limit",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;

	counters.at(0) = 65534;
	REQUIRE(start({{counters.base(0), 2, 0, 2}, {counters.base(1), 64, loop.pc() + 64, 0x8000}},
		      PROF_FAST) == 0);
	loop.spin_until([&] { return self_status().saturated >= 3; });
	CHECK(counters.at(0) == 65535);
	CHECK(self_status().period == 1'000'000);
}

TEST_CASE_METHOD(AtRest, "Linux: sprofil is off without entries and refuses invalid ones", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;
	const ReadOnly read_only;
	prof good = {counters.base(0), 64, loop.pc(), 0x8000};
	timeval tv = {};
	const auto refused = [&](prof *entries, int nr, timeval *tvp, unsigned flags) {
		errno = 0;
		return sprofil(entries, nr, tvp, flags) == -1 ? errno : 0;
	};

	REQUIRE(refused(&good, 1, &tv, PROF_UINT) == 0);
	CHECK(tv.tv_usec == 10'000);
	CHECK(refused(&good, -1, nullptr, 0) == EINVAL);
	CHECK(refused(&good, 1, nullptr, 4) == EINVAL);
	CHECK(refused(nowhere<prof>(), 1, nullptr, 0) == EFAULT);
	CHECK(refused(&good, 1, nowhere<timeval>(), 0) == EFAULT);
	prof bad = good;
	bad.pr_base = read_only.get<void>();
	CHECK(refused(&bad, 1, nullptr, 0) == EFAULT);
	bad.pr_base = static_cast<char *>(counters.base(0)) + 1;
	CHECK(refused(&bad, 1, nullptr, 0) == EINVAL);
	CHECK(state() == PROFIL_STATE_RUNNING);
	CHECK(refused(nullptr, 0, nullptr, 0) == 0);
	CHECK(state() == PROFIL_STATE_NONE);
	/* More entries than the other systems accept. */
	std::vector<prof> many(40'000, good);
	CHECK(refused(many.data(), 40'000, nullptr, 0) == E2BIG);
	CHECK(refused(many.data(), 1000, nullptr, 0) == 0);
	loop.spin_until([&] { return counters.at(0) >= 3; });
}

TEST_CASE_METHOD(AtRest, "profil without a flavour has the semantics that PROFIL_FLAVOUR names",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	auto *const buffer = const_cast<unsigned short *>(counters.counter);

	{
		const Variable flavour("PROFIL_FLAVOUR", "bsd");
		CHECK(plain(buffer, 8, loop.pc(), 0x20000) == -1);
		CHECK(errno == EINVAL);
	}
	{
		const Variable flavour("PROFIL_FLAVOUR", "tru64");
		CHECK(plain(buffer, 8, loop.pc(), four_bytes) == 0);
		CHECK(self_status().period == 1'000'000'000 / 1024);
	}
	{
		const Variable flavour("PROFIL_FLAVOUR", "solaris");
		buffer[0] = 32766;
		CHECK(plain(buffer, 8, loop.pc(), four_bytes) == 0);
		loop.spin_until([&] { return state() == PROFIL_STATE_LIMIT; });
	}
	{
		const Variable flavour("PROFIL_FLAVOUR", "plan9");
		CHECK(plain(buffer, 8, loop.pc(), four_bytes) == -1);
		CHECK(errno == EINVAL);
	}
	CHECK(plain(buffer, 8, loop.pc(), 0x20000) == 0);
	CHECK(state() == PROFIL_STATE_RUNNING);
}

namespace {

/** The lists of AIX and Tru64, as their headers declare them. */
struct AixRange {
	uintptr_t low, high;
	void *buffer;
	int bytes;
	unsigned scale;
};
struct Tru64Range {
	void *buffer;
	uintptr_t high, low, offset;
	unsigned scale;
};

/**
 * The last page of user space, so that a buffer without a size limit has one page.  AT_EXECFN,
 * rounded up to a power of two, is the end of user space: the program's name is at the end of the
 * stack.
 */
struct LastPage : Memory {
	LastPage()
		: Memory(reinterpret_cast<void *>(std::bit_ceil(getauxval(AT_EXECFN)) - 2 * 4096), 4096,
			 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1)
	{
	}
};

} // namespace

TEST_CASE_METHOD(AtRest, "profil without a flavour takes lists only in the flavours of AIX and Tru64",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;
	AixRange aix[] = {{loop.pc(), loop.pc() + 4, counters.base(0), 8, 0x8000}, {}};
	Tru64Range tru64 = {counters.base(1), loop.pc() + 3, loop.pc(), loop.pc(), 0x10000};
	auto *const aix_list = reinterpret_cast<unsigned short *>(aix);
	auto *const tru64_list = reinterpret_cast<unsigned short *>(&tru64);

	{
		const Variable flavour("PROFIL_FLAVOUR", "aix");
		CHECK(plain(aix_list, SIZE_MAX, 0, 0) == 0);
		loop.spin_until([&] { return counters.at(0) >= 3; });
		CHECK(plain(nullptr, SIZE_MAX, 0, 0) == -1);
		CHECK(errno == EFAULT);
		CHECK(plain(reinterpret_cast<unsigned short *>(aix + 1), SIZE_MAX, 0, 0) == 0);
		CHECK(state() == PROFIL_STATE_NONE);
	}
	{
		const Variable flavour("PROFIL_FLAVOUR", "tru64");
		CHECK(plain(tru64_list, 1, SIZE_MAX, 0) == 0);
		loop.spin_until([&] { return counters.at(1) >= 3; });
		CHECK(plain(nullptr, 1, SIZE_MAX, 0) == -1);
		CHECK(errno == EFAULT);
		CHECK(plain(nullptr, 0, 0, 0) == 0);
		CHECK(state() == PROFIL_STATE_NONE);
	}
	/* Other flavours turn the profile off at scale 0, whatever the size, and read nothing. */
	for (const char *name : {"linux", "solaris", "irix", "bsd"}) {
		const Variable flavour("PROFIL_FLAVOUR", name);

		INFO(name);
		for (unsigned short *list : {aix_list, tru64_list, nowhere<unsigned short>()}) {
			REQUIRE(call_profil(counters.memory.at<unsigned short>(256), 8, loop.pc(),
					    four_bytes) == 0);
			REQUIRE(state() == PROFIL_STATE_RUNNING);
			CHECK(plain(list, SIZE_MAX, 0, 0) == 0);
			CHECK(state() == PROFIL_STATE_NONE);
			CHECK(plain(list, 1, SIZE_MAX, 0) == 0);
			CHECK(state() == PROFIL_STATE_NONE);
		}
	}
	/* Tru64 does not know AIX's size of -1, and AIX does not know Tru64's offset of -1. */
	counters.at(0) = 0;
	counters.at(1) = 0;
	{
		const Variable flavour("PROFIL_FLAVOUR", "tru64");
		CHECK(plain(aix_list, SIZE_MAX, 0, 0) == 0);
		CHECK(state() == PROFIL_STATE_NONE);
	}
	{
		const Variable flavour("PROFIL_FLAVOUR", "aix");
		CHECK(plain(tru64_list, 1, SIZE_MAX, 0) == 0);
		CHECK(state() == PROFIL_STATE_NONE);
	}
	loop.spin_ms(40);
	CHECK(counters.at(0) == 0);
	CHECK(counters.at(1) == 0);
}

TEST_CASE_METHOD(AtRest, "profil without a flavour counts in a buffer that looks like a list",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters;
	const LastPage top;
	const AixRange aix[] = {{loop.pc(), loop.pc() + 4, counters.base(0), 8, 0x8000}, {}};
	const Tru64Range tru64 = {counters.base(1), loop.pc() + 3, loop.pc(), loop.pc(), 0x10000};

	for (const char *name : {"linux", "solaris", "irix", "bsd", "tru64"}) {
		const Variable flavour("PROFIL_FLAVOUR", name);
		const volatile auto &counter = *top.at<unsigned short>(sizeof aix);

		INFO(name);
		memset(top.at(), 0, 4096);
		memcpy(top.at(), aix, sizeof aix);
		REQUIRE(plain(top.at<unsigned short>(), SIZE_MAX, loop.pc() - 2 * sizeof aix, four_bytes) ==
			0);
		loop.spin_until([&] { return counter >= 3; });
		CHECK(memcmp(top.at(), aix, sizeof aix) == 0);
	}
	/*
	 * An ordinary buffer may have the size -1, too, which means "no limit": only a tick beyond
	 * the buffer's end would turn the profile off.
	 */
	for (const char *name : {"linux", "solaris", "irix", "bsd", "tru64"}) {
		const Variable flavour("PROFIL_FLAVOUR", name);
		const Memory ordinary(4096);
		/* Memory with less than 1 GiB above it. */
		const Memory high(reinterpret_cast<void *>(top.address() - 16 * 4096), 4096,
				  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
				  -1);

		for (const Memory *memory : {&ordinary, &high}) {
			const volatile auto &counter = *memory->at<unsigned short>(8);

			INFO(name << (memory == &high ? ", high" : ""));
			REQUIRE(plain(memory->at<unsigned short>(), SIZE_MAX, loop.pc() - 16, four_bytes) ==
				0);
			loop.spin_until([&] { return counter >= 3; });
		}
	}
	for (const char *name : {"linux", "solaris", "irix", "bsd", "aix"}) {
		const Variable flavour("PROFIL_FLAVOUR", name);

		INFO(name);
		memcpy(top.at(), &tru64, sizeof tru64);
		/* No PC is at the highest offset. */
		REQUIRE(plain(top.at<unsigned short>(), 64, SIZE_MAX, four_bytes) == 0);
		CHECK(state() == PROFIL_STATE_RUNNING);
		const auto before = self_status().outside;
		loop.spin_until([&] { return self_status().outside >= before + 3; });
		CHECK(memcmp(top.at(), &tru64, sizeof tru64) == 0);
		need(profil_self_stop(nullptr), "stop");
	}
	CHECK(counters.at(0) == 0);
	CHECK(counters.at(1) == 0);
}

TEST_CASE_METHOD(AtRest, "Linux: sprofil takes a size of -1 for a buffer without limit", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const LastPage top;
	const auto *const counters = top.at<volatile unsigned>();

	REQUIRE(start({{top.at(), SIZE_MAX, loop.pc() - 32, 0x10000}}, PROF_UINT) == 0);
	loop.spin_until([&] { return counters[8] >= 3; });
	CHECK(counters[0] == 0);
}
