// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/events.h  The columns of a profile of several events. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The index of the first event in Profile::sample_types; the samples have index 0. */
inline constexpr size_t first_event = 1;

/** True if the profile was recorded with events, not with a clock. */
bool is_of_events(const Profile &profile);

/**
 * The indices of a profile's events in Profile::sample_types, beginning with the event that the
 * samples count; empty if the profile has fewer than two events.
 */
std::vector<size_t> events_of(const Profile &profile);

/** The names of events_of(). */
std::vector<std::string> event_names_of(const Profile &profile);

/**
 * For each of events_of(), the number of events that one sample stands for: the period of the
 * recording, scaled like the event's values.  Profiles of other tools do not store the period, so
 * this is the greatest common divisor of the values, which may be a multiple of the period; 0 if
 * there are no values.
 */
std::vector<uint64_t> event_periods(const Profile &profile);

/** The events of a flat profile with several of them. */
struct EventColumns {
	std::vector<std::string> names; /**< including the first */
	std::vector<uint64_t> totals;
	std::vector<uint64_t> periods;		       /**< event_periods() */
	std::shared_ptr<std::vector<uint64_t>> values; /**< of all rows, one per name */
};

/** The index of an event, with or without perf's modifiers; names.size() if it is missing. */
size_t find_event(const std::vector<std::string> &names, std::string_view wanted);

/** Set the periods for a sum of profiles: each event's longest period in any of them. */
void take_longest_periods(EventColumns &events, std::span<const Profile> profiles);

/** One event divided by another. */
struct Ratio {
	size_t numerator = 0; /**< index in EventColumns::names */
	size_t denominator = 0;
	std::string name; /**< heading of the column */

	bool operator==(const Ratio &) const = default;
};

/**
 * The ratios to show: "IPC" if there are both instructions and cycles, and @p wanted, such as
 * "cache-misses/instructions".
 * @param whose the profile or profiles, as the error names them.
 */
Result<std::vector<Ratio>> ratios_of(const EventColumns &events, std::span<const std::string> wanted,
				     std::string_view whose = "the profile");

/** The quotient; nullopt if the denominator is 0. */
std::optional<double> quotient(uint64_t numerator, uint64_t denominator);

/** The quotient() of two events.  @param values a row's values, as many as EventColumns::names. */
std::optional<double> ratio_of(const Ratio &ratio, std::span<const uint64_t> values);

/** "0.52"; empty for nullopt. */
std::string ratio_text(std::optional<double> ratio);

} // namespace cli
