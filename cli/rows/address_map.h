// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/address_map.h  The samples of an object by address, in cells of equal size. */
#pragma once

#include "cli/rows/place_tree.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cli {

/** A cell of 1 << shift bytes of text, with samples. */
struct AddressCell {
	size_t number = 0; /**< index of the cell, counted from AddressMap::start */
	uint64_t samples = 0;
	size_t function = 0; /**< index in PlaceTree::functions: the one with the most samples */
};

struct AddressMap {
	uint64_t start = 0; /**< address of the first cell: a multiple of the cell size */
	unsigned shift = 0;
	std::vector<AddressCell> cells; /**< ascending */
};

/**
 * Divide the addresses into cells, as small as possible with at most @p most_cells
 * from the first address to the last, but at least the size of a few instructions.
 */
AddressMap address_map(std::span<const AddressSamples> addresses, size_t most_cells);

} // namespace cli
