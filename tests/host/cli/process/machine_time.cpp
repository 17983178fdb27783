// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/process/machine_time.cpp  The idle time of all CPUs, from texts of /proc/stat. */
#include "cli/process/machine_time.h"
#include "tests/support/catch.h"

#include <unistd.h>

using namespace cli;

TEST_CASE("the CPUs are idle while they wait, for input and output, too", "[cli]")
{
	CHECK(parse_idle_time("cpu  100 20 3 4000 500 6 7 8 90 10\ncpu0 1 2 3 9999 1\n", 100) == 45000);
	CHECK(parse_idle_time("cpu  1 2 3 4\n", 1000) == 4);
}

TEST_CASE("a strange /proc/stat has no idle time", "[cli]")
{
	CHECK_FALSE(parse_idle_time("", 100));
	CHECK_FALSE(parse_idle_time("cpu0 1 2 3 4\n", 100));
	CHECK_FALSE(parse_idle_time("cpu  1 2 3 4\n", 0));
	CHECK(parse_idle_time("cpu  1 2\n", 100) == 0);
}

TEST_CASE("this machine's CPUs were idle at most all of the time", "[cli]")
{
	const auto begin = machine_time();
	usleep(50'000);
	const auto end = machine_time();

	REQUIRE((begin && end));
	CHECK(cpu_ms_between(*begin, *end) >= 50U * static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN)));
	CHECK(end->idle_ms >= begin->idle_ms);
}
