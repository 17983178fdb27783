// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/pcsample.cpp  pcsample() as on Solaris. */
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <pcsample.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <vector>

using namespace guest;
using namespace lib_test;

namespace {

/** The number of these samples in the loop at @p pc; the others are in the test's own code. */
long count_loop(const volatile uintptr_t *first, const volatile uintptr_t *last, uintptr_t pc)
{
	return std::count_if(first, last, [pc](uintptr_t sample) { return sample - pc <= CODE_LOOP_RETURN; });
}

/** An array of PCs that the kernel fills without the compiler's knowledge. */
class Samples {
public:
	explicit Samples(size_t nr) : all_(nr) {}

	uintptr_t *data() { return all_.data(); }
	[[nodiscard]] long size() const { return static_cast<long>(all_.size()); }
	[[nodiscard]] uintptr_t operator[](size_t i) const { return volatile_data()[i]; }

	/** The number of stored elements: all before the first zero. */
	[[nodiscard]] long stored() const
	{
		long n = 0;

		while (n < size() && volatile_data()[n])
			n++;
		return n;
	}

	/** The number of the loop's PCs in a part of the array. */
	[[nodiscard]] long count(uintptr_t pc, long first, long last) const
	{
		return count_loop(volatile_data() + first, volatile_data() + last, pc);
	}

private:
	[[nodiscard]] const volatile uintptr_t *volatile_data() const { return all_.data(); }

	std::vector<uintptr_t> all_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "pcsample returns 0 first, then the number stored since the previous call",
		 "[lib][pcsample]")
{
	const Loop loop;
	const OffAtEnd off;
	Samples first(100);
	Samples second(100);

	CHECK(pcsample(first.data(), first.size()) == 0);
	loop.spin_until([&] { return first.stored() >= 7; });

	const long stored = pcsample(second.data(), second.size());

	CHECK(stored == first.stored());
	CHECK(stored >= 7);
	CHECK(second.stored() < stored);
	loop.spin_until([&] { return second.count(loop.pc(), 0, second.stored()) >= 2; });
	CHECK(first.stored() == stored);

	/* Stopping returns the count of the second array, and stopping again returns 0. */
	const long last = pcsample(nullptr, 0);

	CHECK(last == second.stored());
	CHECK(pcsample(nullptr, 0) == 0);

	/* Then sampling starts again from zero. */
	CHECK(pcsample(first.data(), first.size()) == 0);
	CHECK(pcsample(first.data(), 0) < stored);
}

TEST_CASE_METHOD(AtRest, "pcsample stores the address of the loop", "[lib][pcsample][icount]")
{
	const Loop loop;
	const OffAtEnd off;
	Samples samples(100);

	run_before_others();
	const auto begin = static_cast<long>(thread_ns());
	REQUIRE(pcsample(samples.data(), samples.size()) == 0);
	loop.spin(500'000'000); /* in ns; a sample every 10 ms */

	const long stored = pcsample(nullptr, 0);
	const long spent = (static_cast<long>(thread_ns()) - begin) / 10'000'000;

	CHECK(spent >= 50);
	CHECK(stored >= spent - 3);
	CHECK(stored <= most_ticks(spent));
	CHECK(stored == samples.stored());
	CHECK(samples.count(loop.pc(), 0, stored) >= stored - 1);
}

TEST_CASE_METHOD(AtRest, "a full array ends sampling and is never exceeded", "[lib][pcsample]")
{
	const Loop loop;
	const OffAtEnd off;
	Samples samples(6);

	REQUIRE(pcsample(samples.data(), 5) == 0);
	loop.spin_until([&] { return samples[4] != 0; });
	loop.spin_ms(100);
	CHECK(self_status().state == PROFIL_STATE_FULL);
	CHECK(self_status().stored == 5);
	CHECK(samples[5] == 0);
	CHECK(pcsample(samples.data(), 5) == 5);
	/* Sampling starts at the first element again. */
	CHECK(self_status().state == PROFIL_STATE_RUNNING);
	CHECK(pcsample(samples.data(), 0) < 5);
}

TEST_CASE_METHOD(AtRest, "an array of one element holds one sample", "[lib][pcsample]")
{
	const Loop loop;
	const OffAtEnd off;
	Samples samples(2);

	REQUIRE(pcsample(samples.data(), 1) == 0);
	loop.spin_until([&] { return samples[0] != 0; });
	loop.spin_ms(60);
	CHECK(samples[1] == 0);
	CHECK(pcsample(nullptr, 0) == 1);
}

TEST_CASE_METHOD(AtRest, "pcsample with a bad argument fails and the sampling goes on", "[lib][pcsample]")
{
	const Loop loop;
	const OffAtEnd off;
	Samples samples(1000);

	REQUIRE(pcsample(samples.data(), samples.size()) == 0);
	const auto fails = [&](uintptr_t *array, long nr, int error) {
		const long before = samples.stored();

		errno = 0;
		CHECK(pcsample(array, nr) == -1);
		CHECK(errno == error);
		loop.spin_until([&] { return samples.stored() > before; });
	};

	fails(samples.data(), -1, EINVAL);
	fails(reinterpret_cast<uintptr_t *>(reinterpret_cast<uintptr_t>(samples.data()) + 1), 5, EINVAL);
	const long stored = pcsample(nullptr, 0);
	CHECK(stored == samples.stored());
}

TEST_CASE_METHOD(AtRest, "pcsample stores up to a page that cannot be written, and returns what it stored",
		 "[lib][pcsample]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(3 * 4096);
	auto *const pcs = memory.at<volatile uintptr_t>();
	constexpr long room = 4096 / sizeof(uintptr_t), last = 4;

	/* Only the last elements of a page, to be quick. */
	need(mprotect(memory.at(4096), 4096, PROT_READ), "mprotect");
	CHECK(pcsample(const_cast<uintptr_t *>(pcs + room - last), LONG_MAX) == 0);
	loop.spin_until([&] { return self_status().state == PROFIL_STATE_FAULT; });
	CHECK(self_status().stored == last);
	CHECK(pcs[room - 1] != 0);
	CHECK(pcsample(nullptr, 0) == last);

	/* An array that cannot be written is not an error: Solaris does not check it, either. */
	for (uintptr_t *const bad : {memory.at<uintptr_t>(4096), static_cast<uintptr_t *>(nullptr)}) {
		CHECK(pcsample(bad, 100) == 0);
		loop.spin_ms(60);
		CHECK(pcsample(nullptr, 0) == 0);
	}
}

TEST_CASE_METHOD(AtRest, "pcsample stores in a private page of hugetlbfs", "[lib][pcsample]")
{
	const Setting some("/proc/sys/vm/nr_hugepages", "1");
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(2 << 20, MAP_PRIVATE | MAP_HUGETLB);
	auto *const pcs = memory.at<uintptr_t>(4096 - 2 * sizeof(uintptr_t));

	REQUIRE(pcsample(pcs, 1000) == 0);
	/* At least three of the five are beyond the end of the small page. */
	loop.spin_until([&] { return count_loop(pcs, pcs + 1000, loop.pc()) >= 5; });
	const long stored = pcsample(nullptr, 0);
	CHECK(stored >= 5);
	CHECK(count_loop(pcs, pcs + stored, loop.pc()) >= 5);
	CHECK(std::count(pcs, pcs + stored, 0) == 0);
	CHECK(pcs[stored] == 0);
}

TEST_CASE_METHOD(AtRest, "pcsample stores every sample for a user who may lock no memory", "[lib][pcsample]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		const rlimit none = {0, 0};
		Samples samples(1000);

		if (setrlimit(RLIMIT_MEMLOCK, &none) || setgid(65534) || setuid(65534))
			return 1;
		errno = 0;
		if (pcsample(samples.data(), samples.size()) != 0 || errno)
			return 2;
		loop.spin_until([&] { return samples.stored() >= 5; });
		/* Turning it off needs no descriptor here, either. */
		if (setrlimit(RLIMIT_NOFILE, &none))
			return 3;
		return pcsample(nullptr, 0) == samples.stored() ? 0 : 4;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "profil and pcsample replace each other, and profil resets the count of samples",
		 "[lib][pcsample]")
{
	const Loop loop;
	const OffAtEnd off;
	Samples samples(100);
	volatile unsigned short counters[4] = {};

	REQUIRE(pcsample(samples.data(), samples.size()) == 0);
	loop.spin_until([&] { return samples.stored() >= 3; });
	REQUIRE(call_profil(counters, sizeof counters, loop.pc(), 0x8000) == 0);

	const long stored = samples.stored();

	loop.spin_until([&] { return counters[0] >= 3; });
	CHECK(samples.stored() == stored);

	CHECK(pcsample(samples.data(), samples.size()) == 0);
	const unsigned short counted = counters[0];

	loop.spin_ms(60);
	CHECK(counters[0] == counted);

	/* Turning profil off also ends sampling, and resets the count. */
	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(self_status().state == PROFIL_STATE_NONE);
	CHECK(pcsample(nullptr, 0) == 0);

	/* Turning pcsample off also ends profil. */
	REQUIRE(call_profil(counters, sizeof counters, loop.pc(), 0x8000) == 0);
	CHECK(pcsample(nullptr, 0) == 0);
	CHECK(self_status().state == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "a child appends to its parent's samples, and its count includes them",
		 "[lib][pcsample]")
{
	const Loop loop;
	const OffAtEnd off;
	Samples samples(200);

	REQUIRE(pcsample(samples.data(), samples.size()) == 0);
	loop.spin_until([&] { return samples.stored() >= 5; });

	ChildOf<int> child([&] {
		const long inherited = samples.stored();

		if (inherited < 5)
			return 1;
		loop.spin_until([&] { return samples.stored() >= inherited + 5; });
		const long all = pcsample(samples.data(), samples.size());

		if (all < inherited + 5)
			return 2;
		/* From now on the count is the child's own. */
		const long own = pcsample(nullptr, 0);

		return own < inherited ? 0 : 3;
	});

	CHECK(child.result() == 0);

	const long stored = pcsample(nullptr, 0);

	/* The child's samples are not in the parent's count. */
	CHECK(stored == samples.stored());
}
