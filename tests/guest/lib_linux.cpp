// SPDX-License-Identifier: GPL-2.0-or-later
/* profil() as Linux programs know it. */
#include "lib_support.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace guest;
using namespace lib_test;

namespace {

/* Four bytes of text a counter: the loop is in one, whichever its instructions. */
constexpr unsigned four_bytes = 0x8000;

/** Counters between two fields that nobody may touch. */
template <size_t Nr> struct Guarded {
	volatile uint64_t before = 0x1111111111111111;
	alignas(8) volatile unsigned short counter[Nr] = {};
	volatile uint64_t after = 0x2222222222222222;

	[[nodiscard]] bool is_whole() const
	{
		return before == 0x1111111111111111 && after == 0x2222222222222222;
	}

	/** All counters but one are 0. */
	[[nodiscard]] bool only(size_t index) const
	{
		for (size_t i = 0; i < Nr; i++)
			if (i != index && counter[i])
				return false;
		return is_whole();
	}

	[[nodiscard]] bool is_zero() const { return only(Nr); }
};

/** Is the process still profiled into this counter, by what its loop leaves there? */
bool is_counted(const Loop &loop, const volatile unsigned short &counter)
{
	const unsigned short before = counter;

	loop.spin_ms(60);
	return counter != before;
}

} // namespace

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
	CHECK(status.kernel == 0); /* such ticks are charged to the program */
	CHECK(status.ticks == accounted(status));
}

TEST_CASE_METHOD(AtRest, "profil samples at exactly 100 Hz of CPU time", "[lib][profil][icount]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	const int64_t begin = static_cast<int64_t>(thread_ns());

	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	loop.spin(2'000'000'000); /* as many ns */

	const profil_status status = self_status();
	const int64_t spent = static_cast<int64_t>(thread_ns()) - begin;

	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(status.period == 10'000'000);
	CHECK(spent >= 2'000'000'000);
	CHECK(static_cast<int64_t>(status.ticks) >= spent / 10'000'000 - 1);
	CHECK(static_cast<int64_t>(status.ticks) <= spent / 10'000'000 + 1);
	CHECK(status.lost_late == 0);
	CHECK(counters.counter[0] >= 199);
	CHECK(counters.counter[0] <= 201);
	CHECK(counters.only(0));
}

TEST_CASE_METHOD(AtRest, "profil finds the counter by Linux's arithmetic for every scale", "[lib][profil]")
{
	struct Vector {
		uint64_t distance;
		unsigned scale;
		size_t counters;
		size_t index; /* = counters: not counted */
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
		/* The loop's caller may be within reach of a coarse scale, so look at the page only. */
		const unsigned short expected = v.index == v.counters ? 0 : counters[v.index];

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

TEST_CASE_METHOD(AtRest, "profil is off after each way to turn it off", "[lib][profil]")
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
	CHECK_FALSE(is_counted(loop, buffer[0]));
	CHECK(self_status().state == PROFIL_STATE_NONE);

	turn_on();
	CHECK(call_profil(nullptr, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	CHECK_FALSE(is_counted(loop, buffer[0]));

	turn_on();
	CHECK(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK_FALSE(is_counted(loop, buffer[0]));

	/* Nothing to count in: no error, and no counting. */
	for (const size_t size : {0, 1}) {
		turn_on();
		CHECK(call_profil(buffer, size, loop.pc(), four_bytes) == 0);
		CHECK_FALSE(is_counted(loop, buffer[0]));
	}
	CHECK(counters.only(0));

	/* And off while off is no error. */
	CHECK(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(call_profil(buffer, sizeof counters.counter, loop.pc(), 0) == 0);
}

TEST_CASE_METHOD(AtRest, "sizes are floored to whole counters and nothing is written behind them",
		 "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const size_t size : {2, 3, 4, 5}) {
		Guarded<4> counters;

		INFO("size " << size);
		/* In the last whole counter ... */
		REQUIRE(call_profil(counters.counter, size, loop.pc() - 4 * (size / 2 - 1), four_bytes) == 0);
		loop.spin_until([&] { return counters.counter[size / 2 - 1] != 0; });
		CHECK(counters.only(size / 2 - 1));
		/* ... and one further. */
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

TEST_CASE_METHOD(AtRest, "a call that fails leaves the profile on that was on", "[lib][profil]")
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
	fails(counters.counter, 1UL << 40, loop.pc(), EINVAL);
	fails(counters.counter, 1UL << 32, loop.pc(), EDQUOT);
	fails(last_page, 2 * 4096, loop.pc(), EFAULT);
	fails(counters.counter, SIZE_MAX, 0, EINVAL);
	fails(counters.counter, 1, SIZE_MAX, EINVAL);
	CHECK(counters.only(0));
	munmap(read_only, 4096);
	munmap(last_page, 4096);
}

TEST_CASE_METHOD(AtRest, "a call that succeeds leaves errno and the descriptors alone", "[lib][profil]")
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
	loop.spin_until([&] { return counters.counter[1] == 3; });
	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(counters.only(1));
}

TEST_CASE_METHOD(AtRest, "all threads count into the one buffer, whoever called profil",
		 "[lib][profil][icount]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	std::vector<std::thread> threads;
	int result = -1;

	std::thread([&] {
		result = call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes);
	}).join();
	REQUIRE(result == 0);
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&] { loop.spin_ms(400); });
	for (std::thread &thread : threads)
		thread.join();

	uint64_t count;
	const profil_status status = steady_status([&] { return counters.counter[0]; }, count);

	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	/* 1.2 s of CPU time, a little of it outside of the loop. */
	CHECK(status.ticks >= 119);
	CHECK(status.ticks <= 123);
	CHECK(status.lost_late == 0);
	CHECK(status.ticks == accounted(status));
	CHECK(count == status.counted);
	CHECK(count >= 114);
	CHECK(counters.only(0));
}

TEST_CASE_METHOD(AtRest, "a child goes on in its own copy of the counters", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	loop.spin_until([&] { return counters.counter[0] >= 5; });

	ChildOf<int> child([&] {
		const unsigned short begin = counters.counter[0];

		loop.spin_until([&] { return counters.counter[0] >= begin + 10; });
		return counters.only(0) && begin >= 5 ? 0 : 1;
	});

	const unsigned short at_fork = counters.counter[0];

	CHECK(child.result() == 0);
	/* We slept meanwhile, but for a tick or two. */
	CHECK(counters.counter[0] <= at_fork + 2);
	CHECK(is_counted(loop, counters.counter[0]));
}

TEST_CASE_METHOD(AtRest, "a child counts into a shared buffer together with its parent", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096, MAP_SHARED);
	auto *const counters = new (memory.at()) Guarded<4>;

	REQUIRE(call_profil(counters->counter, sizeof counters->counter, loop.pc(), four_bytes) == 0);

	ChildOf<int> child([&] {
		loop.spin_until([&] { return counters->counter[0] >= 10; });
		return 0;
	});

	CHECK(child.result() == 0);
	CHECK(counters->counter[0] >= 10);
}

TEST_CASE_METHOD(AtRest, "ticks in the kernel are charged to the program's PC", "[lib][profil][icount]")
{
	const OffAtEnd off;
	std::vector<unsigned short> counters(65536);
	const int64_t begin = static_cast<int64_t>(thread_ns());
	const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	std::vector<char> sink(1 << 20);

	REQUIRE(zero >= 0);
	/* 64 KiB of text a counter, and the whole address space below 4 GiB above libc's read(). */
	const auto text = reinterpret_cast<uintptr_t>(&read) & ~0xffffffUL;

	REQUIRE(call_profil(counters.data(), counters.size() * 2, text, 2) == 0);
	while (static_cast<int64_t>(thread_ns()) < begin + 600'000'000)
		if (read(zero, sink.data(), sink.size()) < 0)
			break;

	uint64_t count;
	const profil_status status =
		steady_status([&] { return std::accumulate(counters.begin(), counters.end(), 0UL); }, count);

	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	close(zero);
	CHECK(status.kernel == 0);
	CHECK(status.ticks >= 59);
	CHECK(status.ticks <= 63);
	/* Nearly all of this was in the kernel, called from libc. */
	CHECK(count >= 50);
	CHECK(count == status.counted);
}

TEST_CASE_METHOD(AtRest, "a process that sleeps gets no ticks", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	usleep(300'000);
	CHECK(self_status().ticks <= 2);
	CHECK(counters.is_zero());
}

TEST_CASE_METHOD(AtRest, "a program that closes every descriptor goes on being profiled", "[lib][profil]")
{
	const Loop loop;
	Child child([&] {
		Guarded<4> counters;

		need(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes), "profil");
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
		loop.spin_until([&] { return counters.counter[0] >= 5; });
		need(call_profil(nullptr, 0, 0, 0), "profil off");
		need_that(!is_counted(loop, counters.counter[0]) && counters.only(0), "it is off");
	});

	CHECK_NOTHROW(child.join());
}

TEST_CASE_METHOD(AtRest, "a program that changes its root goes on being profiled", "[lib][profil]")
{
	const Loop loop;
	char root[] = "/tmp/profil-root-XXXXXX";

	REQUIRE(mkdtemp(root));

	ChildOf<int> child([&] {
		Guarded<4> counters;

		if (call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes))
			return 1;
		if (chroot(root))
			return 2;
		loop.spin_until([&] { return counters.counter[0] >= 5; });
		/* The device is out of reach now, for better and for worse. */
		errno = 0;
		if (call_profil(nullptr, 0, 0, 0) != -1 || errno != ENODEV)
			return 3;
		if (!is_counted(loop, counters.counter[0]))
			return 4;
		return counters.only(0) ? 0 : 5;
	});

	CHECK(child.result() == 0);
	rmdir(root);
}

TEST_CASE_METHOD(AtRest, "profil may be called by a signal handler", "[lib][profil]")
{
	static const Loop loop;
	static Guarded<4> counters;
	static volatile int results[2];
	const OffAtEnd off;

	struct sigaction action = {};
	struct sigaction before;

	action.sa_handler = [](int) {
		results[0] = call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes);
	};
	results[0] = -2;
	REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
	REQUIRE(raise(SIGUSR1) == 0);
	CHECK(results[0] == 0);
	CHECK(is_counted(loop, counters.counter[0]));
	sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE_METHOD(AtRest, "counters that cannot be locked in memory are ENOMEM, and profil(off) still works",
		 "[lib][profil]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		const rlimit none = {0, 0};
		static unsigned short counters[4];

		if (setrlimit(RLIMIT_MEMLOCK, &none) || setgid(65534) || setuid(65534))
			return 1;
		errno = 0;
		if (call_profil(counters, sizeof counters, loop.pc(), four_bytes) != -1 || errno != ENOMEM)
			return 2;
		return call_profil(nullptr, 0, 0, 0) ? 3 : 0;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "a program without any privilege may profile itself", "[lib][profil]")
{
	const Loop loop;
	const Setting strict("/proc/sys/kernel/perf_event_paranoid", "3");

	/* Privilege must not be needed for the clock either, so nobody else's may run. */
	REQUIRE(soon([] { return module_stat("clock_period") == 0; }));

	ChildOf<int> child([&] {
		Guarded<4> counters;

		become_nobody();
		need(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes), "profil");
		loop.spin_until([&] { return counters.counter[0] >= 5; });
		need(call_profil(nullptr, 0, 0, 0), "profil off");
		return counters.only(0) ? 0 : 1;
	});

	CHECK(child.result() == 0);
}
