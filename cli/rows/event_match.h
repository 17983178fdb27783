// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/event_match.h  The events that two profiles have in common, and the one to
 * compare them by. */
#pragma once

#include "cli/profile/profile.h"

#include <span>
#include <string>
#include <vector>

namespace cli {

/** The events of two profiles, an older and a newer one. */
struct EventMatch {
	std::vector<std::string> both; /**< in the order of the newer profile */
	std::vector<std::string> base_only;
	std::vector<std::string> now_only;

	/** True if both profiles have events, but none in common. */
	[[nodiscard]] bool none() const { return both.empty() && !base_only.empty() && !now_only.empty(); }
};

/** "cycles, instructions and cache-misses" */
std::string names_text(std::span<const std::string> names);

/** A profile's events, even a single one; none if the profile is of time, or from another tool. */
std::vector<std::string> event_names(const Profile &profile);

/**
 * Compare the events of two profiles.  If one profile has no events, its samples are compared
 * with those of the other's first event, which is then not in base_only or now_only.
 */
EventMatch match_events(const Profile &base, const Profile &now);

/**
 * Make an event the first one of a profile, as if it had been recorded first: the samples are then
 * those of this event.
 * @return false if the event was first already, or the profile does not have it.
 */
bool lead_with(Profile &profile, const std::string &event);

} // namespace cli
