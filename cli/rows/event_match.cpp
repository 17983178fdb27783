// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/event_match.h"

#include "cli/rows/events.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

std::vector<std::string> without(const std::vector<std::string> &names,
				 const std::vector<std::string> &others)
{
	std::vector<std::string> left = names;

	std::erase_if(left, [&](const std::string &name) {
		return std::find(others.begin(), others.end(), name) != others.end();
	});
	return left;
}

template <typename T> void move_first_event(std::vector<T> &of_types, size_t type)
{
	const auto first = of_types.begin() + 1; /* after the samples */
	const auto moved = of_types.begin() + static_cast<ptrdiff_t>(type);

	std::rotate(first, moved, moved + 1);
}

} // namespace

std::string names_text(std::span<const std::string> names)
{
	if (names.size() < 2)
		return names.empty() ? "" : names.front();
	return fmt::format("{} and {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

std::vector<std::string> event_names(const Profile &profile)
{
	std::vector<std::string> names;

	if (!is_of_events(profile))
		return names;
	for (size_t i = 1; i < profile.sample_types.size(); i++)
		names.push_back(profile.sample_types[i].type);
	return names;
}

EventMatch match_events(const Profile &base, const Profile &now)
{
	std::vector<std::string> base_names = event_names(base);
	std::vector<std::string> now_names = event_names(now);
	EventMatch match;

	if (base_names.empty() != now_names.empty()) {
		std::vector<std::string> &only = base_names.empty() ? now_names : base_names;

		only.erase(only.begin());
	}
	match.base_only = without(base_names, now_names);
	match.now_only = without(now_names, base_names);
	match.both = without(now_names, match.now_only);
	return match;
}

bool lead_with(Profile &profile, const std::string &event)
{
	const std::vector<size_t> types = events_of(profile);
	const auto found = std::find_if(types.begin(), types.end(), [&](size_t type) {
		return profile.sample_types[type].type == event;
	});

	if (found == types.begin() || found == types.end())
		return false;

	const auto place = static_cast<size_t>(found - types.begin());
	/* The period of an event without values is 0. */
	const uint64_t period = std::clamp<uint64_t>(event_periods(profile)[place], 1, INT64_MAX);

	for (Sample &sample : profile.samples) {
		sample.values.front() = static_cast<int64_t>(samples_of(sample, *found) / period);
		move_first_event(sample.values, *found);
	}
	move_first_event(profile.sample_types, *found);
	profile.period_type = profile.sample_types[types.front()];
	profile.period = static_cast<int64_t>(period);
	profile.default_sample_type = event;
	return true;
}

} // namespace cli
