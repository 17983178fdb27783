// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/recorded_profile.h  Makes a profile from a recording. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/profile/sample_source.h"
#include "cli/recording/recorder.h"
#include "cli/symbols/later_lines.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** The time of a recording, and the sources of its samples. */
struct RecordedTime {
	int64_t begin = 0;		   /**< ns since the epoch */
	double seconds = 0;		   /**< duration */
	std::vector<SampleSource> sources; /**< the sources of the ticks */
};

/** The sources, with the accounts of those that are events. */
std::vector<SampleSource> accounted_sources(std::vector<SampleSource> sources,
					    const std::vector<EventAccount> &events);

/** The accounts of the sources that are events, for About::events. */
std::vector<EventAccount> event_accounts(const std::vector<SampleSource> &sources);

/** Nanoseconds since the epoch. */
int64_t wall_clock_ns();

/** Make a profile.  @param warnings receives a line about each object whose names are missing. */
Profile recorded_profile(const Recording &recording, const RecordedTime &time, Lines lines,
			 std::vector<std::string> &warnings);

} // namespace cli
