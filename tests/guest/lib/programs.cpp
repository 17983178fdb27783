// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/programs.cpp  Whole programs that call profil(): preloaded, linked, static,
 * executed.
 */
#include "tests/support/programs.h"
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <cstdio>
#include <pcsample.h>
#include <sstream>

using namespace guest;
using namespace lib_test;
using namespace support;

namespace {

/** The output of the program in lib_histogram.h. */
struct Histogram {
	unsigned seldom = 0;
	unsigned often = 0;
	unsigned others = 0;
	unsigned cpu_ticks = 0;
	bool timer = false;
};

Histogram histogram_of(const std::string &environment, const std::string &name)
{
	const Output output = run("env " + environment + " " + program(name));
	std::istringstream in(output.text);
	Histogram histogram;

	INFO(output.text);
	REQUIRE(output.status == 0);
	REQUIRE(in >> histogram.seldom >> histogram.often >> histogram.others >> histogram.cpu_ticks >>
		histogram.timer);
	return histogram;
}

/*
 * The program runs until it has 60 counts, four fifths of them in one function.  Ticks that a busy
 * host swallows are missing, but there are never too many.
 */
void check_counted_by_kernel(const Histogram &histogram)
{
	INFO(histogram.seldom << " " << histogram.often << " " << histogram.others);
	CHECK_FALSE(histogram.timer);
	CHECK(histogram.seldom + histogram.often >= 60);
	CHECK(histogram.seldom + histogram.often <= histogram.cpu_ticks + 2);
	CHECK(histogram.often > histogram.seldom);
	CHECK(histogram.seldom > 0);
	CHECK(histogram.others == 0);
}

} // namespace

TEST_CASE_METHOD(AtRest, "LD_PRELOAD gives a program libprofil's profil instead of libc's", "[lib][programs]")
{
	/* libc's own profil uses a timer and a signal. */
	CHECK(histogram_of("", "lib_libc").timer);
	check_counted_by_kernel(histogram_of("LD_PRELOAD=" + build_dir() + "/libprofil.so.1", "lib_libc"));
}

TEST_CASE_METHOD(AtRest, "a program linked with -lprofil is counted by the kernel",
		 "[lib][programs][every-kernel]")
{
	check_counted_by_kernel(histogram_of("LD_LIBRARY_PATH=" + build_dir(), "lib_linked"));
}

TEST_CASE_METHOD(AtRest, "a static program is counted by the kernel", "[lib][programs]")
{
	check_counted_by_kernel(histogram_of("", "lib_static"));
}

TEST_CASE_METHOD(AtRest, "a static musl program, whose libc has no profil, is counted by the kernel",
		 "[lib][programs]")
{
	check_counted_by_kernel(histogram_of("", "lib_musl"));
}

TEST_CASE_METHOD(AtRest, "a static program with a gmon.c of its own counts by libprofil's profil",
		 "[lib][programs]")
{
	const Output output = run(program("gmon_own"));
	unsigned ticks = 0, calls = 0, state = 0;

	INFO(output.text);
	CHECK(output.status == 0);
	REQUIRE(sscanf(output.text.c_str(), "%u ticks, %u call, %u", &ticks, &calls, &state) == 3);
	CHECK(ticks > 0);
	CHECK(calls == 1);
	CHECK(state == 3);
}

TEST_CASE_METHOD(AtRest, "exec ends the profile and the count of samples", "[lib][programs]")
{
	const Loop loop;
	const OffAtEnd off;
	uintptr_t samples[100] = {};
	const std::string path = program("lib_exec");

	REQUIRE(pcsample(samples, 100) == 0);
	loop.spin_until([&] { return const_cast<volatile uintptr_t *>(samples)[2] != 0; });

	Child child([&] { need(execl(path.c_str(), "lib_exec", nullptr), "exec"); });

	CHECK_NOTHROW(child.join());
	CHECK(self_status().processes == 1);
	CHECK(self_status().state == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "a vfork child that calls profil changes its parent's profile", "[lib][programs]")
{
	const Loop loop;
	const OffAtEnd off;
	static volatile unsigned short first[4];
	static volatile unsigned short second[4];

	REQUIRE(call_profil(first, sizeof first, loop.pc(), 0x8000) == 0);

	const pid_t pid = vfork();

	if (!pid)
		_exit(call_profil(second, sizeof second, loop.pc(), 0x8000) ? 1 : 0);
	int status = -1;

	REQUIRE(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0);

	const unsigned short left = first[0];

	loop.spin_until([&] { return second[0] != 0; });
	CHECK(first[0] == left);
}
