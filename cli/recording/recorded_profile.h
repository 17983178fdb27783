// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/recorded_profile.h  Makes a profile from a recording. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/recording/recorder.h"
#include "cli/symbols/later_lines.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

/** The time of a recording, and the period of its samples. */
struct RecordedTime {
	int64_t begin = 0;   /**< ns since the epoch */
	double seconds = 0;  /**< duration */
	uint64_t period = 0; /**< ns between samples */
};

/** Nanoseconds since the epoch. */
int64_t wall_clock_ns();

/** @param warnings receives a line about each object whose names are missing. */
Profile recorded_profile(const Recording &recording, const RecordedTime &time, Lines lines,
			 std::vector<std::string> &warnings);

} // namespace cli
