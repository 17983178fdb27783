// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/recorded_profile.h"

#include "cli/base/numbers.h"
#include "cli/profile/about.h"
#include "cli/symbols/build_profile.h"
#include "cli/symbols/later_lines.h"
#include "profil.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace cli {

int64_t wall_clock_ns()
{
	return std::chrono::duration_cast<std::chrono::nanoseconds>(
		       std::chrono::system_clock::now().time_since_epoch())
		.count();
}

namespace {

/** The kernel and modules whose lines add_lines() may find, in other files. */
std::vector<std::string> kernel_left(const Profile &profile)
{
	std::vector<std::string> left;

	for (const ProfileMapping &mapping : profile.mappings) {
		if (may_have_kernel_lines(mapping.filename, mapping.build_id))
			left.push_back(mapping.filename);
	}
	return left;
}

} // namespace

std::vector<SampleSource> accounted_sources(std::vector<SampleSource> sources,
					    const std::vector<EventAccount> &events)
{
	for (size_t i = 0; i < sources.size(); i++) {
		if (i < events.size())
			sources[i].account = events[i];
		sources[i].account.name = sources[i].name;
		sources[i].account.period = sources[i].period;
	}
	return sources;
}

std::vector<EventAccount> event_accounts(const std::vector<SampleSource> &sources)
{
	std::vector<EventAccount> events;

	for (const SampleSource &source : sources) {
		if (source.unit == "count")
			events.push_back(source.account);
	}
	return events;
}

Profile recorded_profile(const Recording &recording, const RecordedTime &time, Lines lines,
			 std::vector<std::string> &warnings)
{
	std::vector<std::string> left;
	const std::vector<SampleSource> sources = accounted_sources(time.sources, recording.events);
	Profile profile = build_profile(recording.tally, recording.owners, recording.program.get(), sources,
					warnings, lines == Lines::Stored ? nullptr : &left);

	if (lines == Lines::Stored)
		left = kernel_left(profile);
	profile.time_nanos = time.begin;
	profile.duration_nanos = static_cast<int64_t>(time.seconds * 1e9);
	profile.comments =
		to_comments({profil_version(), recording.targets, recording.processes, recording.accounting,
			     std::move(left), recording.threads.sorted(), recording.slice_ms,
			     event_accounts(sources), recording.by_perf ? "perf" : ""});
	if (lines == Lines::Stored) {
		for (std::string &note : texts_of(add_lines(profile)))
			warnings.push_back(std::move(note));
	}
	return profile;
}

} // namespace cli
