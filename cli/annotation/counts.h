// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/counts.h  Counts at a place in the code: samples, and other events. */
#pragma once

#include "cli/profile/profile.h"

#include <cstdint>
#include <vector>

namespace cli {

struct Counts {
	uint64_t samples = 0;
	std::vector<uint64_t> events = {}; /**< a count for each event; may be empty if all are 0 */

	[[nodiscard]] bool any() const;
	/** Add @p more; sums saturate. */
	void add(const Counts &more);
};

/** For each location, in the profile's order, the counts of the samples whose leaf it is. */
std::vector<Counts> counts_by_location(const Profile &profile);

} // namespace cli
