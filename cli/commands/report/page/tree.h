// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/tree.h  Objects, functions, lines and addresses as a page has them. */
#pragma once

#include "cli/commands/report/page/limits.h"
#include "cli/commands/report/page/names.h"
#include "cli/rows/flat.h"
#include "cli/rows/place_tree.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cli {

/** Tables of a page, column by column; rows are told by their index in PlaceTree. */
struct HtmlTree {
	nlohmann::ordered_json objects;	  /**< the first of PlaceTree::objects */
	nlohmann::ordered_json functions; /**< the first of PlaceTree::functions */
	nlohmann::ordered_json lines;	  /**< of the first functions, of each all or none */
	nlohmann::ordered_json maps;	  /**< of the first objects, by address */
	std::vector<std::string> notes;	  /**< what is left out of these */
};

/**
 * @param flat says what percentages are of.
 * @param names get those of what is in the page.
 */
HtmlTree html_tree(const PlaceTree &tree, const Flat &flat, HtmlNames &names, const HtmlLimits &limits);

/** A count as the page has it: as text where a browser's numbers would lose digits. */
nlohmann::ordered_json html_count(uint64_t samples);

} // namespace cli
