// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/cli/cli_burn.cpp  Burns CPU time in named functions: cli_burn [MS [WHAT]]
 *
 *   MS     CPU time in milliseconds, default 1000
 *   WHAT   plain (default): three quarters in burn_hot(), the rest in burn_cold()
 *          fork: burn_child() in a forked child, then burn_parent()
 *          told: burn_parent(), and after SIGUSR1 burn_child() in a forked child
 *          late: code that is mapped after a while, in this process
 *          late-child: the same in a forked child
 *          remap: code in a memfd "first", then in "second" in its place
 *          vfork: burn_child() in a vfork(2) child with the name "vforked", which
 *          after SIGUSR1 executes cli_burn MS
 *          storm: 9,000 children that do nothing, then burn_child() in 50 of them, one
 *          after the other; prints the PID of the last
 *          wide: 16,384 loops in code that it makes, one after the other
 *          threads: burn_hot() in four threads
 *          idle: prints "ready", and after each SIGUSR1 does burn_child() in a thread
 *          with the name "late"
 *          pair: burn_cold() in a thread with the name "cold", and burn_hot() for
 *          as long in the first thread, and then without end
 */
#include "tests/guest/support/machine_code.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

volatile uint64_t sink;
volatile std::sig_atomic_t told;

int64_t cpu_ms(clockid_t clock)
{
	timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/** Long enough that the clock calls between two rounds do not matter. */
constexpr int round_length = 200000;

} // namespace

#define BURNER(name)                                   \
	__attribute__((noinline)) void name()          \
	{                                              \
		for (int i = 0; i < round_length; i++) \
			sink = sink * 3 + 1;           \
	}

BURNER(burn_hot)
BURNER(burn_cold)
BURNER(burn_parent)
BURNER(burn_child)

template <typename Round> static void burn(int64_t ms, clockid_t clock, Round round)
{
	const int64_t end = cpu_ms(clock) + ms;

	while (cpu_ms(clock) < end)
		round();
}

static void plain(int64_t ms)
{
	burn(ms, CLOCK_PROCESS_CPUTIME_ID, [] {
		burn_hot();
		burn_hot();
		burn_hot();
		burn_cold();
	});
}

static void late(int64_t ms)
{
	burn(ms / 4, CLOCK_PROCESS_CPUTIME_ID, burn_cold);
	void *page =
		mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	std::memcpy(page, code_loop, sizeof code_loop);
	code_written(page, sizeof code_loop);
	burn(ms, CLOCK_PROCESS_CPUTIME_ID, [&] { code_run(reinterpret_cast<uintptr_t>(page), 1000000); });
}

/** Map code from a new file, in place of any mapping at @place. */
static void *map_code(const char *name, void *place)
{
	const int file = memfd_create(name, MFD_CLOEXEC);

	if (file < 0 || write(file, code_loop, sizeof code_loop) != sizeof code_loop || ftruncate(file, 4096))
		_exit(3);
	return mmap(place, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | (place ? MAP_FIXED : 0), file, 0);
}

static void remap(int64_t ms)
{
	void *place = nullptr;
	const auto loop = [&] { code_run(reinterpret_cast<uintptr_t>(place), 1000000); };

	place = map_code("first", place);
	burn(ms / 8, CLOCK_PROCESS_CPUTIME_ID, loop);
	place = map_code("second", place);
	burn(ms - ms / 8, CLOCK_PROCESS_CPUTIME_ID, loop);
}

/** Run @p body in a child, and wait for the child. */
template <typename Body> static void in_child(Body body)
{
	const pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body();
		_exit(0);
	}
	waitpid(child, nullptr, 0);
}

/** vfork(): the parent is blocked until the child calls execl(). */
static void vforked(int64_t ms)
{
	const std::string more = std::to_string(ms);

	std::signal(SIGUSR1, [](int) { told = 1; });

	const pid_t child = vfork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "vforked");
		while (!told)
			burn_child();
		execl("/proc/self/exe", "cli_burn", more.c_str(), nullptr);
		_exit(127);
	}
	waitpid(child, nullptr, 0);
}

/** As cheap as a child can be. */
static __attribute__((noinline)) void nothing_in_child()
{
	const pid_t child = vfork();

	if (!child)
		_exit(0);
	waitpid(child, nullptr, 0);
}

static void storm(int64_t ms)
{
	for (int i = 0; i < 9000; i++)
		nothing_in_child();
	for (int i = 0; i < 50; i++) {
		const pid_t child = fork();

		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			burn(ms, CLOCK_PROCESS_CPUTIME_ID, burn_child);
			_exit(0);
		}
		if (i == 49)
			std::printf("%d\n", child);
		waitpid(child, nullptr, 0);
	}
}

static void wide(int64_t ms)
{
	constexpr size_t bytes = 256 << 10;
	constexpr size_t apart = 16;
	auto *const code = static_cast<unsigned char *>(
		mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	size_t at = 0;

	for (; at < bytes; at += apart)
		std::memcpy(code + at, code_loop, sizeof code_loop);
	code_written(code, bytes);
	burn(ms, CLOCK_PROCESS_CPUTIME_ID, [&] {
		at = (at + apart) % bytes;
		code_run(reinterpret_cast<uintptr_t>(code + at), 20'000);
	});
}

static void threads(int64_t ms)
{
	std::vector<std::thread> all;

	for (int i = 0; i < 4; i++)
		all.emplace_back([&] { burn(ms / 4, CLOCK_THREAD_CPUTIME_ID, burn_hot); });
	for (std::thread &thread : all)
		thread.join();
}

static void pair(int64_t ms)
{
	std::thread cold([&] {
		prctl(PR_SET_NAME, "cold");
		burn(ms, CLOCK_THREAD_CPUTIME_ID, burn_cold);
	});

	burn(ms, CLOCK_THREAD_CPUTIME_ID, burn_hot);
	cold.join();
	burn(INT32_MAX, CLOCK_THREAD_CPUTIME_ID, burn_hot);
}

/** No signal that is sent after "ready" is lost. */
static void idle(int64_t ms)
{
	sigset_t signals;
	int signal = 0;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, nullptr);
	std::puts("ready");
	std::fflush(stdout);
	while (!sigwait(&signals, &signal)) {
		std::thread late([&] {
			prctl(PR_SET_NAME, "late");
			burn(ms, CLOCK_THREAD_CPUTIME_ID, burn_child);
		});

		late.join();
	}
}

int main(int argc, char **argv)
{
	const int64_t ms = argc > 1 ? std::atoll(argv[1]) : 1000;
	const std::string what = argc > 2 ? argv[2] : "plain";

	if (what == "plain") {
		plain(ms);
	} else if (what == "vfork") {
		vforked(ms);
	} else if (what == "storm") {
		storm(ms);
	} else if (what == "wide") {
		wide(ms);
	} else if (what == "threads") {
		threads(ms);
	} else if (what == "idle") {
		idle(ms);
	} else if (what == "pair") {
		pair(ms);
	} else if (what == "late") {
		late(ms);
	} else if (what == "remap") {
		remap(ms);
	} else if (what == "late-child") {
		in_child([&] { late(ms); });
	} else if (what == "told") {
		std::signal(SIGUSR1, [](int) { told = 1; });
		burn(ms, CLOCK_PROCESS_CPUTIME_ID, [] {
			burn_parent();
			if (told)
				in_child([] { burn(INT32_MAX, CLOCK_PROCESS_CPUTIME_ID, burn_child); });
		});
	} else if (what == "fork") {
		in_child([&] { burn(ms, CLOCK_PROCESS_CPUTIME_ID, burn_child); });
		burn(ms / 2, CLOCK_PROCESS_CPUTIME_ID, burn_parent);
	} else {
		return 2;
	}
	return 0;
}
