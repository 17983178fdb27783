// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/counts.h  The counts of a place: samples, and events if there are several. */
#pragma once

#include "cli/profile/profile.h"

#include <cstdint>
#include <vector>

namespace cli {

struct Counts {
	uint64_t samples = 0;
	std::vector<uint64_t> events = {}; /**< by event; may be empty if all are 0 */

	[[nodiscard]] bool any() const;
	/** Add @p more; sums saturate. */
	void add(const Counts &more);
};

/** For each location, by index, the counts of the samples with that leaf. */
std::vector<Counts> counts_by_location(const Profile &profile);

} // namespace cli
