// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/place_tree.h  The samples of a profile by object, function, line and address. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/rows/filter.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** The samples of a line of a function, or of a function inlined in it. */
struct LineSamples {
	std::string file;
	int64_t line = 0;
	uint64_t samples = 0;
};

struct TreeFunction {
	std::string name;
	size_t object = 0; /**< index in PlaceTree::objects */
	uint64_t samples = 0;
	std::vector<LineSamples> lines; /**< the known lines, most samples first */
};

struct AddressSamples {
	uint64_t address = 0; /**< link-time address */
	uint64_t samples = 0;
	size_t function = 0; /**< index in PlaceTree::functions */
};

struct TreeObject {
	std::string path;
	std::string build_id;
	uint64_t samples = 0;
	std::vector<size_t> functions;	       /**< indices in PlaceTree::functions, ascending */
	std::vector<AddressSamples> addresses; /**< ascending */
};

/**
 * Objects and functions, both sorted by samples, most first, then by name.  Sums
 * saturate.  The samples of each level add up to those of the level above, except
 * that lines are not always known.
 */
struct PlaceTree {
	std::vector<TreeObject> objects;
	std::vector<TreeFunction> functions;
};

/** The tree of the samples that pass all filters, by their leaf location. */
PlaceTree place_tree(const Profile &profile, std::span<const Filter> filters);

} // namespace cli
