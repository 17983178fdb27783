// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/need_perf.h  What a test needs that records with perf's events. */
#pragma once

#include "cli/recording/perf/access.h"
#include "tests/support/skip.h"

namespace support {

/** End the test as skipped if perf does not sample here. */
inline void need_perf()
{
	if (const cli::Outcome perf = cli::check_perf(); !perf)
		skip("perf does not sample: " + perf.error().text);
}

} // namespace support
