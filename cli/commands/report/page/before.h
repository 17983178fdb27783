// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/before.h  What a page shows of the base that it compares with. */
#pragma once

#include "cli/commands/report/page/tree.h"
#include "cli/commands/report/report.h"
#include "cli/rows/place_tree.h"

#include <nlohmann/json.hpp>

namespace cli {

/** The base of a report: its name and its samples.  @param report has a base. */
nlohmann::ordered_json html_base(const Report &report);

/**
 * Add the samples that the objects and the functions of a page had in the base, and whether
 * chance does not explain the difference (0 or 1): the columns "base" and "sure".
 * @param report has a base.  @param places from which @p tree was made.
 */
void add_before(HtmlTree &tree, const PlaceTree &places, const Report &report);

} // namespace cli
