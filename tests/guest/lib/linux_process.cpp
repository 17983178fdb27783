// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/linux_process.cpp  profil() in a process: rate, threads, children,
 * privileges, and calls that the program may make while it is profiled.
 */
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace guest;
using namespace lib_test;

TEST_CASE_METHOD(AtRest, "profil samples at exactly 100 Hz of CPU time", "[lib][profil][icount]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	run_before_others();
	const int64_t begin = static_cast<int64_t>(thread_ns());
	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	loop.spin(2'000'000'000); /* in ns */

	const profil_status status = self_status();
	const int64_t spent = static_cast<int64_t>(thread_ns()) - begin;

	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	CHECK(status.period == 10'000'000);
	CHECK(spent >= 2'000'000'000);
	CHECK(static_cast<int64_t>(status.ticks) >= spent / 10'000'000 - 3);
	CHECK(static_cast<int64_t>(status.ticks) <= most_ticks(spent / 10'000'000));
	CHECK(counters.counter[0] >= 196);
	CHECK(counters.counter[0] <= most_ticks(spent / 10'000'000));
	CHECK(counters.only(0));
}

TEST_CASE_METHOD(AtRest, "all threads count in one buffer, whichever of them called profil",
		 "[lib][profil][icount]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	std::vector<std::thread> threads;
	int result = -1;

	run_before_others();
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
	/* 1.2 s of CPU time, a small part of it outside the loop. */
	CHECK(status.ticks >= 116);
	CHECK(status.ticks <= 123);
	CHECK(status.ticks == accounted(status));
	CHECK(count == status.counted);
	/*
	 * Part of the time is spent reading the clock, but two threads alone would have only 80
	 * counts.
	 */
	CAPTURE(status.outside, status.off, status.lost_late);
	CHECK(count >= 90);
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
	/* This process slept while the child ran, except for a tick or two. */
	CHECK(counters.counter[0] <= at_fork + 2);
	CHECK(is_counted(loop, counters.counter[0]));
}

TEST_CASE_METHOD(AtRest, "a child and its parent count together in a shared buffer", "[lib][profil]")
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
	const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	std::vector<char> sink(1 << 20);

	run_before_others();
	REQUIRE(zero >= 0);
	/* One counter for 64 KiB of text: from libc's read() upward this covers 4 GiB of addresses. */
	const auto text = reinterpret_cast<uintptr_t>(&read) & ~0xffffffUL;

	REQUIRE(call_profil(counters.data(), counters.size() * 2, text, 2) == 0);
	/* Read the time only now: starting takes some ticks on a debug kernel. */
	const int64_t begin = static_cast<int64_t>(thread_ns());
	while (static_cast<int64_t>(thread_ns()) < begin + 600'000'000)
		if (read(zero, sink.data(), sink.size()) < 0)
			break;

	uint64_t count;
	const profil_status status =
		steady_status([&] { return std::accumulate(counters.begin(), counters.end(), 0UL); }, count);
	const int64_t spent = (static_cast<int64_t>(thread_ns()) - begin) / 10'000'000;

	REQUIRE(call_profil(nullptr, 0, 0, 0) == 0);
	close(zero);
	CHECK(status.kernel == 0);
	CHECK(spent >= 60);
	CHECK(static_cast<int64_t>(status.ticks) >= spent - 3);
	CHECK(static_cast<int64_t>(status.ticks) <= spent + 3);
	/* Nearly all of this time was in the kernel, called from libc. */
	CHECK(count >= 50);
	CHECK(count == status.counted);
}

TEST_CASE_METHOD(AtRest, "a process that sleeps gets no ticks", "[lib][profil]")
{
	const Loop loop;
	const OffAtEnd off;
	const Gate begin;
	Guarded<4> counters;
	Child other([&] {
		Guarded<4> others;

		begin.wait();
		need(call_profil(others.counter, sizeof others.counter, loop.pc(), four_bytes), "profil");
		loop.spin_until([&] { return others.counter[0] >= 30; });
		need(call_profil(nullptr, 0, 0, 0), "profil off");
	});

	const uint64_t before = process_ns();
	REQUIRE(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) == 0);
	begin.open();
	other.join();
	/*
	 * The process runs briefly to sleep and to wake up, and may have ticks then.  While the
	 * host runs something else, the guest's CPU time continues, and its ticks become late.
	 */
	const auto status = self_status();
	CHECK(status.ticks <= 15 + (process_ns() - before) / status.period);
	CHECK(counters.is_zero());
}

TEST_CASE_METHOD(AtRest, "a program that closes every descriptor is still profiled", "[lib][profil]")
{
	const Loop loop;
	Child child([&] {
		Guarded<4> counters;

		need(call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes), "profil");
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
		loop.spin_until([&] { return counters.counter[0] >= 5; });
		need(call_profil(nullptr, 0, 0, 0), "profil off");
		need_that(is_off(loop, counters.counter[0]) && counters.only(0), "the profile is off");
	});

	CHECK_NOTHROW(child.join());
}

TEST_CASE_METHOD(AtRest, "a program that changes its root is profiled until it turns that off",
		 "[lib][profil]")
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
		/* The device cannot be opened any more. */
		if (call_profil(nullptr, 0, 0, 0))
			return 3;
		if (!is_off(loop, counters.counter[0]))
			return 4;
		errno = 0;
		if (call_profil(counters.counter, sizeof counters.counter, loop.pc(), four_bytes) != -1 ||
		    errno != ENODEV)
			return 5;
		return counters.only(0) ? 0 : 6;
	});

	CHECK(child.result() == 0);
	rmdir(root);
}

TEST_CASE_METHOD(AtRest, "a signal handler may call profil", "[lib][profil]")
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

TEST_CASE_METHOD(AtRest, "profil counts for a user who may lock no memory", "[lib][profil]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		const rlimit none = {0, 0};
		static unsigned short counters[4];

		if (setrlimit(RLIMIT_MEMLOCK, &none) || setgid(65534) || setuid(65534))
			return 1;
		errno = 0;
		if (call_profil(counters, sizeof counters, loop.pc(), four_bytes) || errno)
			return 2;
		loop.spin_until([] { return *const_cast<volatile unsigned short *>(counters) >= 5; });
		if (self_status().pinned)
			return 3;
		return call_profil(nullptr, 0, 0, 0) ? 4 : 0;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "a program without privilege can profile itself", "[lib][profil]")
{
	const Loop loop;
	const Setting strict("/proc/sys/kernel/perf_event_paranoid", "3");

	/* Starting the clock must not need privilege either, so no other profile may be running. */
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
