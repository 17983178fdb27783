// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/recorded_profile.h"

#include "cli/profile/about.h"
#include "cli/symbols/build_profile.h"
#include "cli/symbols/later_lines.h"
#include "profil.h"

#include <chrono>
#include <utility>

namespace cli {

int64_t wall_clock_ns()
{
	return std::chrono::duration_cast<std::chrono::nanoseconds>(
		       std::chrono::system_clock::now().time_since_epoch())
		.count();
}

Profile recorded_profile(const Recording &recording, const RecordedTime &time, Lines lines,
			 std::vector<std::string> &warnings)
{
	std::vector<std::string> left;
	Profile profile = build_profile(recording.tally, recording.owners, recording.program.get(),
					time.period, warnings, lines == Lines::Stored ? nullptr : &left);

	profile.time_nanos = time.begin;
	profile.duration_nanos = static_cast<int64_t>(time.seconds * 1e9);
	profile.comments =
		to_comments({profil_version(), recording.targets, recording.granularity, recording.processes,
			     recording.accounting, std::move(left), recording.threads.sorted()});
	return profile;
}

} // namespace cli
