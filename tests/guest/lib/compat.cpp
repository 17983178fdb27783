// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/compat.cpp  The library for i386 on the 64-bit kernel: runs the programs of
 * tests/guest/programs/i386, and 32-bit builds of others.
 */
#ifdef __x86_64__

#include "tests/guest/lib/monitor.h"
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"
#include "tests/support/gmon_reader.h"
#include "tests/support/programs.h"

#include <sstream>

using namespace guest;
using namespace support;

namespace {

std::string libraries()
{
	return build_dir() + "/i386";
}

std::string program_i386(const std::string &name)
{
	return libraries() + "/tests/programs/" + name;
}

Output run_i386(const std::string &name, const std::string &environment)
{
	return run("env PROFIL_VERBOSE=1 " + environment + " " + program_i386(name));
}

/** Run a program that prints "ok" if everything that it requires holds. */
void check_ok(const std::string &name)
{
	const Output output = run_i386(name, "LD_LIBRARY_PATH=" + libraries());
	const auto last_line = output.text.rfind('\n', output.text.size() - 2) + 1;

	INFO(name << "\n" << output.text);
	CHECK(output.text.substr(last_line) == "ok\n");
	CHECK(output.status == 0);
}

const std::vector<std::string> systems = {"aix", "bsd", "irix", "linux", "solaris", "tru64"};

/**
 * Run a program that is made from lib_histogram.h: it ends once it has 60 ticks, about a fifth of
 * them in its first function and the rest in its second.
 */
void check_counted_by_kernel(const std::string &name, const std::string &environment)
{
	const Output output = run_i386(name, environment);
	std::istringstream in(output.text);
	unsigned seldom = 0, often = 0, others = 1, cpu_ticks = 0, timer = 1;

	INFO(name << " " << output.text);
	REQUIRE(output.status == 0);
	REQUIRE(in >> seldom >> often >> others >> cpu_ticks >> timer);
	CHECK(timer == 0);
	CHECK(others == 0);
	CHECK(seldom > 0);
	CHECK(often > seldom);
	CHECK(seldom + often >= 60);
	CHECK(seldom + often <= cpu_ticks + 2);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a 32-bit program has each system's calls, by the library, shared or static",
		 "[lib][flavour][compat]")
{
	for (const std::string &system : systems) {
		check_ok("exact_" + system);
		check_ok("exact_" + system + "_static");
	}
}

TEST_CASE_METHOD(AtRest, "sprofil() tells its period to a 32-bit program with 64-bit time",
		 "[lib][flavour][compat]")
{
	check_ok("exact_irix_time64");
	check_ok("exact_linux_time64");
}

TEST_CASE_METHOD(AtRest, "a 32-bit program profiles itself with wide counters, and records several processes",
		 "[lib][compat]")
{
	check_ok("exact_generic");
	check_ok("exact_generic_static");
}

TEST_CASE_METHOD(AtRest, "a source in each system's style counts as a 32-bit program",
		 "[lib][flavour][compat]")
{
	for (const std::string &system : systems) {
		const Output output = run_i386("original_" + system, "LD_LIBRARY_PATH=" + libraries());

		INFO(system);
		CHECK(output.text == "");
		CHECK(output.status == 0);
	}
}

TEST_CASE_METHOD(AtRest, "a 32-bit program is counted by the kernel, linked, static or preloaded",
		 "[lib][programs][compat]")
{
	/* libc's own profil uses a timer and a signal. */
	CHECK(run_i386("lib_libc", "").text.ends_with(" 1\n"));
	check_counted_by_kernel("lib_linked", "LD_LIBRARY_PATH=" + libraries());
	check_counted_by_kernel("lib_static", "");
	check_counted_by_kernel("lib_libc", "LD_PRELOAD=" + libraries() + "/libprofil.so.1");
	check_counted_by_kernel("lib_libc",
				"PROFIL_FLAVOUR=solaris LD_PRELOAD=" + libraries() + "/libprofil.so.1");
}

TEST_CASE_METHOD(AtRest, "LD_PRELOAD serves libc's sprofil() of a 32-bit program", "[lib][programs][compat]")
{
	const auto words = [](const Output &output) {
		std::istringstream in(output.text);
		std::vector<long> numbers(std::istream_iterator<long>(in), {});

		INFO(output.text);
		REQUIRE(output.status == 0);
		REQUIRE(numbers.size() == 3);
		return numbers;
	};
	const auto preloaded = words(run_i386("preloaded", "LD_PRELOAD=" + libraries() + "/libprofil.so.1"));

	CHECK(words(run_i386("preloaded", ""))[2] == 1);
	CHECK(preloaded[0] >= 10);
	CHECK(preloaded[1] == 10000);
	CHECK(preloaded[2] == 0);
}

TEST_CASE_METHOD(AtRest, "gmon.out of a 32-bit gcc -pg program has kernel-counted ticks and all calls",
		 "[lib][gmon][compat]")
{
	/* The programs' code calls __fentry__ and mcount. */
	for (const std::string name : {"gmon_fixed", "gmon_linked"}) {
		const TemporaryDirectory dir;
		const Output output =
			run("cd " + (dir / "") +
			    " && env PROFIL_VERBOSE=1 PROFIL_RATE=1000 LD_LIBRARY_PATH=" + libraries() +
			    " LD_PRELOAD=" + libraries() + "/libprofil.so.1 " + program_i386(name) +
			    " ms 300 calls 70001");

		INFO(name << output.text);
		REQUIRE(output.status == 0);

		auto flat = flat_profile(program_i386(name), dir / "gmon.out");

		CHECK(flat["hot"].place == 1);
		CHECK(flat["hot"].self_seconds > 0);
		CHECK(flat["leaf"].calls == 70001);
		CHECK(flat["call"].calls == 1);
	}
}

TEST_CASE_METHOD(AtRest, "a 32-bit source that calls monitor() gets its histogram and gmon.out",
		 "[lib][gmon][monitor][compat]")
{
	for (const auto *name : lib_test::monitor_programs)
		lib_test::check_monitor(TemporaryDirectory(), program_i386(name), libraries());
}

#endif
