// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/time_range.h  Selects samples by time, in a profile with slices. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <limits>

namespace cli {

/** A part of a recording, in seconds from its beginning. */
struct TimeRange {
	double from = 0;
	double to = std::numeric_limits<double>::infinity();

	[[nodiscard]] bool all() const { return from <= 0 && to == std::numeric_limits<double>::infinity(); }
};

/**
 * Keep only the samples of the slices that begin in @p range.  Drop the accounting of ticks and
 * the threads, which are about all samples.  Fails if the profile has no slices.
 */
Outcome keep_time(Profile &profile, const TimeRange &range);

} // namespace cli
