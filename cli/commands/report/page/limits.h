// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/limits.h  The limits and the sources of an HTML report. */
#pragma once

#include "cli/annotation/object_code.h"
#include "cli/symbols/source_files.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** The most that is put into a page.  The page says how much was left out. */
struct HtmlLimits {
	size_t rows = 200'000;			  /**< rows of the table; also functions */
	size_t objects = 5'000;			  /**< objects: those with the most samples */
	size_t name_columns = 1'000;		  /**< columns of each name */
	size_t name_bytes = size_t{32} << 20;	  /**< bytes of all names; beyond this, rows of
						   *   the table and entries of the chart are
						   *   left out */
	size_t lines = 100'000;			  /**< lines of all functions, the hottest first */
	size_t annotated = 50;			  /**< functions with source and instructions */
	size_t annotated_bytes = size_t{8} << 20; /**< their bytes; beyond this, functions are
						   *   left out */
	size_t listed = 1'000;			  /**< lines, and instructions, of a function */
	size_t line_columns = 500;		  /**< columns of a source line or instruction */
	size_t mapped = 32;			  /**< objects that have a map of addresses */
	size_t cells = 2'048;			  /**< cells of each map */
	size_t sliced = 25;			  /**< functions in the map by time */
	size_t slices = 600;			  /**< columns in the map by time */
};

/** Where objects and sources are. */
struct HtmlOptions {
	CodeOptions code = {};
	std::vector<std::string> directories = {}; /**< as for SourceFiles */
	std::vector<PathPrefix> prefixes = {};
	bool source = true; /**< the text of source lines may be in the page */
};

} // namespace cli
