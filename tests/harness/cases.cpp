// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/harness/cases.cpp  Tests that fail in every way that scripts/guest-tests must
 * notice.
 */
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <cstdlib>
#include <fstream>
#include <linux/io_uring.h>
#include <sched.h>
#include <string>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

void write_to(const char *path, const char *text)
{
	std::ofstream file(path);

	file << text << std::flush;
	REQUIRE(file.good());
}

/** Reports a race in the format of KCSAN. */
void tell_of_a_race(const std::string &module)
{
	const std::string line(66, '=');

	for (const auto &text : {line, std::string("BUG: KCSAN: data-race in one / other"), std::string(),
				 std::string("write to 0xffffffff82b2e8c0 of 4 bytes by interrupt on cpu 0:"),
				 std::string(" one+0x58/0x130"), std::string(),
				 std::string("read to 0xffffffff82b2e8c0 of 4 bytes by task 1 on cpu 1:"),
				 " other+0x446/0x770" + module, line})
		write_to("/dev/kmsg", (text + '\n').c_str());
}

/** From now on, no other task runs on the CPU: all have lower priority. */
void take_cpu_for_ever(int cpu)
{
	/* From 6.12 on, a server reserves some time for other tasks, unless its runtime is 0. */
	const auto server = "/sys/kernel/debug/sched/fair_server/cpu" + std::to_string(cpu) + "/runtime";
	if (access(server.c_str(), W_OK) == 0)
		write_to(server.c_str(), "0");

	cpu_set_t set;
	const sched_param highest = {.sched_priority = 99};

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_setscheduler(0, SCHED_FIFO, &highest);
	for (;;)
		asm volatile("");
}

/** Pins a page with an io_uring, until the process ends. */
void pin_a_page()
{
	alignas(4096) static char page[4096];
	const iovec buffer = {page, sizeof(page)};
	io_uring_params parameters = {};
	const long ring = syscall(SYS_io_uring_setup, 1, &parameters);

	if (ring < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1))
		std::abort();
}

} // namespace

TEST_CASE("1 passes")
{
	CHECK(getpid() > 1);
}

TEST_CASE("2 fails, and [says] \"why\"")
{
	CHECK(getpid() == 1);
}

TEST_CASE("3 is killed")
{
	std::abort();
}

TEST_CASE("4 does not end")
{
	for (;;)
		pause();
}

TEST_CASE("5 makes the kernel warn")
{
	write_to("/dev/kmsg", "WARNING: CPU: 0 PID: 1 at tests/harness/cases.cpp: written by a test\n");
}

TEST_CASE("6 passes after the warning")
{
	CHECK(getpid() > 1);
}

TEST_CASE("7 passes while the kernel races with itself")
{
	tell_of_a_race("");
}

TEST_CASE("8 makes the kernel race with the module")
{
	tell_of_a_race(" [profil]");
}

TEST_CASE("9 makes the kernel panic")
{
	write_to("/proc/sysrq-trigger", "c");
}

TEST_CASE("A passes after the panic")
{
	CHECK(getpid() > 1);
}

TEST_CASE("B hangs the guest")
{
	write_to("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (long cpu = 1; cpu < cpus; cpu++)
		if (fork() == 0)
			take_cpu_for_ever(static_cast<int>(cpu));
	take_cpu_for_ever(0);
}

TEST_CASE("C passes on one CPU", "[icount]")
{
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) == 1);
}

TEST_CASE("D leaves a process that has pinned a page")
{
	int ready[2];
	char byte;

	REQUIRE(pipe(ready) == 0);
	if (fork() == 0) {
		setsid();
		pin_a_page();
		close(ready[0]);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 0);
}

TEST_CASE("E leaves a taint, which nothing can remove")
{
	write_to("/proc/sys/kernel/tainted", "64");
}

TEST_CASE("F passes after what the others have left")
{
	CHECK(getpid() > 1);
}

TEST_CASE("G is skipped: here is why")
{
	support::skip("the reason (0.0 s)");
}

TEST_CASE("H fails after a section is skipped")
{
	SECTION("skipped")
	{
		support::skip("not for H");
	}
	SECTION("fails")
	{
		CHECK(getpid() == 1);
	}
}

TEST_CASE("I exits with the status of a skipped test")
{
	_exit(77);
}

TEST_CASE("J passes with a name that ends in seconds (1.3 s)")
{
	CHECK(getpid() > 1);
}
