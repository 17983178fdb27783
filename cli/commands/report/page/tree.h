// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/tree.h  The objects, functions, lines and addresses of a page. */
#pragma once

#include "cli/commands/report/page/limits.h"
#include "cli/commands/report/page/names.h"
#include "cli/names/shown_names.h"
#include "cli/rows/flat.h"
#include "cli/rows/place_tree.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cli {

/** Tables of a page, column by column; rows have the same indices as in PlaceTree. */
struct HtmlTree {
	nlohmann::ordered_json objects;	  /**< the first of PlaceTree::objects */
	nlohmann::ordered_json functions; /**< the first of PlaceTree::functions */
	nlohmann::ordered_json lines;	  /**< the lines of the first functions, each in full */
	nlohmann::ordered_json maps;	  /**< the maps of the first objects, by address */
	std::vector<std::string> notes;	  /**< about the rows that these tables leave out */
};

/** The names of a page. */
struct TreeNames {
	HtmlNames &texts;	 /**< receives the names that are in the page */
	const ShownNames &shown; /**< the form of functions' names */
};

/** Make the tables of a page.  @param flat its total is 100 %. */
HtmlTree html_tree(const PlaceTree &tree, const Flat &flat, TreeNames names, const HtmlLimits &limits);

/** A count for the page; it is a string if a JavaScript number would lose digits. */
nlohmann::ordered_json html_count(uint64_t samples);

} // namespace cli
