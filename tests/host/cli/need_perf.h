// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/need_perf.h  The requirement of tests that record with perf's events. */
#pragma once

#include "cli/recording/perf/access.h"
#include "tests/support/skip.h"

namespace support {

/** Skip the test if perf cannot sample here. */
inline void need_perf()
{
	if (const cli::Outcome perf = cli::check_perf(); !perf)
		skip("perf does not sample: " + perf.error().text);
}

} // namespace support
