// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/source.h  The annotated functions of a page. */
#pragma once

#include "cli/commands/report/page/limits.h"
#include "cli/rows/place_tree.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace cli {

/** The hottest functions of a profile, annotated. */
struct HtmlSource {
	nlohmann::ordered_json functions = nlohmann::ordered_json::array();
	uint64_t samples = 0; /**< the samples of these functions */
};

/**
 * Annotate the hottest functions.
 * @param profile has exactly the samples that the page shows.
 * @param tree the places of @p profile; its indices identify functions.
 */
HtmlSource html_source(const Profile &profile, const PlaceTree &tree, const HtmlOptions &options,
		       const HtmlLimits &limits);

} // namespace cli
