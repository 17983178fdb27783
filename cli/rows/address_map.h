// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/address_map.h  The samples of an object by address, in cells of equal size. */
#pragma once

#include "cli/rows/place_tree.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cli {

/** 1 << shift bytes of text that have samples. */
struct AddressCell {
	size_t number = 0; /**< of the cell, counted from AddressMap::start */
	uint64_t samples = 0;
	size_t function = 0; /**< that has most of them: index in PlaceTree::functions */
};

struct AddressMap {
	uint64_t start = 0; /**< of the first cell: a multiple of its size */
	unsigned shift = 0;
	std::vector<AddressCell> cells; /**< ascending */
};

/**
 * As fine as @p most_cells from the first address to the last allow, and no
 * finer than an instruction or a few.
 */
AddressMap address_map(std::span<const AddressSamples> addresses, size_t most_cells);

} // namespace cli
