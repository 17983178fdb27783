// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/row_order.h  The order of the rows of a report. */
#pragma once

#include "cli/rows/place.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cli {

class Places;

struct PlaceSamples {
	Place place;
	uint64_t samples = 0;
	size_t values = 0; /**< with several events: first index in EventColumns::values */
};

/**
 * The indices of @p all in the order of a report: most samples first, then by name.
 * @param places provides the names.
 */
std::vector<size_t> row_order(const Places &places, const std::vector<PlaceSamples> &all);

} // namespace cli
