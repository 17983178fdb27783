// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/address_map.h"

#include "cli/base/saturate.h"

#include <algorithm>
#include <map>

namespace cli {
namespace {

constexpr unsigned finest_shift = 4;

unsigned shift_for(uint64_t first, uint64_t last, size_t most_cells)
{
	unsigned shift = finest_shift;

	while ((last >> shift) - (first >> shift) >= most_cells)
		shift++;
	return shift;
}

AddressCell cell_of(std::span<const AddressSamples> addresses, size_t number)
{
	std::map<size_t, uint64_t> by_function;
	AddressCell cell{number, 0, 0};

	for (const AddressSamples &one : addresses) {
		uint64_t &sum = by_function[one.function];

		sum = saturating_add(sum, one.samples);
		cell.samples = saturating_add(cell.samples, one.samples);
	}
	cell.function =
		std::max_element(by_function.begin(), by_function.end(), [](const auto &a, const auto &b) {
			return a.second < b.second;
		})->first;
	return cell;
}

} // namespace

AddressMap address_map(std::span<const AddressSamples> addresses, size_t most_cells)
{
	AddressMap map;

	if (addresses.empty() || !most_cells)
		return map;
	map.shift = shift_for(addresses.front().address, addresses.back().address, most_cells);
	map.start = addresses.front().address >> map.shift << map.shift;
	while (!addresses.empty()) {
		const uint64_t number = (addresses.front().address - map.start) >> map.shift;
		const auto end =
			std::find_if(addresses.begin(), addresses.end(), [&](const AddressSamples &one) {
				return (one.address - map.start) >> map.shift != number;
			});
		const auto length = static_cast<size_t>(end - addresses.begin());

		map.cells.push_back(cell_of(addresses.first(length), number));
		addresses = addresses.subspan(length);
	}
	return map;
}

} // namespace cli
