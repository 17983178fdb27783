// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/events.h"

#include "cli/base/saturate.h"
#include "cli/profile/about.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace cli {
namespace {

/** The name without perf's modifiers: "cycles" for "cycles:u". */
std::string_view plain(std::string_view name)
{
	return name.substr(0, name.find(':'));
}

/** The greatest common divisor of all values: profiles of other tools do not store the period. */
uint64_t common_period(const Profile &profile, size_t event)
{
	uint64_t period = 0;

	for (const Sample &sample : profile.samples)
		period = std::gcd(period, samples_of(sample, event));
	return period;
}

} // namespace

std::vector<uint64_t> event_periods(const Profile &profile)
{
	const std::vector<size_t> events = events_of(profile);
	const About about = from_comments(profile.comments);
	std::vector<uint64_t> periods;

	for (const size_t event : events) {
		const std::string &name = profile.sample_types[event].type;
		const auto known = std::find_if(about.events.begin(), about.events.end(),
						[&](const EventAccount &one) { return one.name == name; });

		periods.push_back(known == about.events.end() ? common_period(profile, event)
							      : known->scaled(known->period));
	}
	return periods;
}

void take_longest_periods(EventColumns &events, std::span<const Profile> profiles)
{
	events.periods.assign(events.names.size(), 0);
	for (const Profile &profile : profiles) {
		const std::vector<size_t> types = events_of(profile);
		const std::vector<uint64_t> periods = event_periods(profile);

		for (size_t i = 0; i < types.size(); i++) {
			const auto name = std::find(events.names.begin(), events.names.end(),
						    profile.sample_types[types[i]].type);

			if (name == events.names.end())
				continue;

			uint64_t &period = events.periods[static_cast<size_t>(name - events.names.begin())];

			period = std::max(period, periods[i]);
		}
	}
}

size_t find_event(const std::vector<std::string> &names, std::string_view wanted)
{
	const auto same = std::find(names.begin(), names.end(), wanted);
	const auto found =
		same != names.end() ? same : std::find_if(names.begin(), names.end(), [&](const auto &name) {
			return plain(name) == wanted;
		});

	return static_cast<size_t>(found - names.begin());
}

bool is_of_events(const Profile &profile)
{
	return has_period_of_events(profile) && profile.sample_types.size() > first_event &&
	       profile.sample_types.front() == ValueType{"samples", "count"} &&
	       profile.sample_types[first_event] == profile.period_type;
}

std::vector<size_t> events_of(const Profile &profile)
{
	std::vector<size_t> indices;

	if (!is_of_events(profile) || profile.sample_types.size() <= first_event + 1)
		return indices;
	for (size_t i = first_event; i < profile.sample_types.size(); i++)
		indices.push_back(i);
	return indices;
}

std::vector<std::string> event_names_of(const Profile &profile)
{
	std::vector<std::string> names;

	for (const size_t event : events_of(profile))
		names.push_back(profile.sample_types[event].type);
	return names;
}

Result<std::vector<Ratio>> ratios_of(const EventColumns &events, std::span<const std::string> wanted,
				     std::string_view whose)
{
	const size_t instructions = find_event(events.names, "instructions");
	const size_t cycles = find_event(events.names, "cycles");
	std::vector<Ratio> ratios;

	if (instructions < events.names.size() && cycles < events.names.size())
		ratios.push_back({instructions, cycles, "IPC"});
	for (const std::string &text : wanted) {
		const size_t slash = text.find('/');
		const size_t numerator = find_event(events.names, text.substr(0, slash));
		const size_t denominator = slash == text.npos
						   ? events.names.size()
						   : find_event(events.names, text.substr(slash + 1));

		if (std::max(numerator, denominator) >= events.names.size())
			return Error{fmt::format("--ratio: '{}' is not EVENT/EVENT with two events of {} "
						 "({})",
						 text, whose,
						 events.names.empty()
							 ? "the profile does not have several"
							 : fmt::format("{}", fmt::join(events.names, ", ")))};
		ratios.push_back({numerator, denominator, text});
	}
	return ratios;
}

std::optional<double> quotient(uint64_t numerator, uint64_t denominator)
{
	if (!denominator)
		return std::nullopt;
	return static_cast<double>(numerator) / static_cast<double>(denominator);
}

std::optional<double> ratio_of(const Ratio &ratio, std::span<const uint64_t> values)
{
	return quotient(values[ratio.numerator], values[ratio.denominator]);
}

std::string ratio_text(std::optional<double> ratio)
{
	return ratio ? fmt::format("{:.3g}", *ratio) : "";
}

} // namespace cli
