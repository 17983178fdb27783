// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/monitor.h  Programs that call monitor(), built for 64 and for 32 bits. */
#pragma once

#include "tests/support/catch.h"
#include "tests/support/gmon_reader.h"
#include "tests/support/programs.h"

#include <string>

namespace lib_test {

/** Programs in the style of each system, named as their sources in tests/guest/programs. */
constexpr const char *monitor_programs[] = {"monitor_svid", "monitor_aix", "monitor_tru64"};

/** Check that a program gets its histogram and gmon.out, with the libraries in @p libraries. */
inline void check_monitor(const support::TemporaryDirectory &dir, const std::string &program,
			  const std::string &libraries)
{
	const support::Output output = support::run(
		"cd " + (dir / "") + " && env PROFIL_VERBOSE=1 LD_LIBRARY_PATH=" + libraries + " " + program);

	INFO(program << output.text);
	CHECK(output.status == 0);

	auto flat = support::flat_profile(program, dir / "gmon.out");

	CHECK(flat["work"].place == 1);
	CHECK(flat["work"].self_seconds > 0);
}

} // namespace lib_test
