// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/slices.h  The samples in a page by time. */
#pragma once

#include "cli/commands/report/page/limits.h"
#include "cli/profile/profile.h"
#include "cli/rows/place_tree.h"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace cli {

/**
 * The samples of the hottest functions by slices of time: the length of a column in ms, the samples
 * of all functions in each column, and those of each function.  null if there are no slices.
 *
 * @param profile has exactly the samples that the page shows.
 * @param places the places of @p profile.  @param functions the number of functions in the page.
 */
nlohmann::ordered_json html_slices(const Profile &profile, const PlaceTree &places, size_t functions,
				   const HtmlLimits &limits);

} // namespace cli
