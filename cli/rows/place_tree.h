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

/** Samples of a line of a function, or of what is inlined there. */
struct LineSamples {
	std::string file;
	int64_t line = 0;
	uint64_t samples = 0;
};

struct TreeFunction {
	std::string name;
	size_t object = 0; /**< index in PlaceTree::objects */
	uint64_t samples = 0;
	std::vector<LineSamples> lines; /**< those that are known, most samples first */
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
 * Both in the order of their samples, most first, then of their names.
 * Sums saturate; each level's are those of the level below it, but for lines,
 * which are not always known.
 */
struct PlaceTree {
	std::vector<TreeObject> objects;
	std::vector<TreeFunction> functions;
};

/** Of the samples that pass all filters, by their leaf. */
PlaceTree place_tree(const Profile &profile, std::span<const Filter> filters);

} // namespace cli
