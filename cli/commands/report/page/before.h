// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/before.h  The base of a comparison in an HTML report. */
#pragma once

#include "cli/commands/report/page/tree.h"
#include "cli/commands/report/report.h"
#include "cli/rows/place_tree.h"

#include <nlohmann/json.hpp>

namespace cli {

/** The base of a report: its name and its samples.  @param report must have a base. */
nlohmann::ordered_json html_base(const Report &report);

/**
 * Add two columns to the objects and functions of a page: "base", with their samples in the base,
 * and "sure", with 1 if chance does not explain the difference, else 0.
 * @param report must have a base.  @param places the places from which @p tree was made.
 */
void add_before(HtmlTree &tree, const PlaceTree &places, const Report &report);

} // namespace cli
