// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/counts.h"

#include "cli/base/saturate.h"
#include "cli/rows/events.h"

#include <algorithm>

namespace cli {

bool Counts::any() const
{
	return samples || std::any_of(events.begin(), events.end(), [](uint64_t count) { return count; });
}

void Counts::add(const Counts &more)
{
	samples = saturating_add(samples, more.samples);
	events.resize(std::max(events.size(), more.events.size()));
	for (size_t i = 0; i < more.events.size(); i++)
		events[i] = saturating_add(events[i], more.events[i]);
}

std::vector<Counts> counts_by_location(const Profile &profile)
{
	const size_t index = samples_index(profile);
	const std::vector<size_t> events = events_of(profile);
	std::vector<Counts> all(profile.locations.size());

	for (const Sample &sample : profile.samples) {
		Counts one{samples_of(sample, index)};

		if (sample.locations.empty())
			continue;
		for (const size_t event : events)
			one.events.push_back(samples_of(sample, event));
		all[sample.locations.front()].add(one);
	}
	return all;
}

} // namespace cli
