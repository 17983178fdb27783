// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/monotonic.h  The clock for measuring intervals. */
#pragma once

#include <cstdint>
#include <ctime>

namespace cli {

/** CLOCK_MONOTONIC in ns. */
inline uint64_t monotonic_ns()
{
	timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

} // namespace cli
