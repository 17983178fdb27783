// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/counter.h"

#include "kmod/memory/bin.h"

#include <atomic>

namespace libprofil {

/*
 * The module increments the counter while we read it.  One load of the counter's
 * own width cannot tear.  No order between counters is promised.
 */
template <typename Counter> static uint64_t load(uint64_t buffer, size_t index)
{
	auto *counters = reinterpret_cast<Counter *>(static_cast<uintptr_t>(buffer));

	return std::atomic_ref(counters[index]).load(std::memory_order_relaxed);
}

uint64_t read_counter(const profil_region &region, size_t index)
{
	if (!region.width || index >= region.bytes / region.width)
		return 0;
	switch (region.width) {
	case sizeof(uint16_t): return load<uint16_t>(region.buffer, index);
	case sizeof(uint32_t): return load<uint32_t>(region.buffer, index);
	case sizeof(uint64_t): return load<uint64_t>(region.buffer, index);
	default: return 0;
	}
}

int64_t counter_index(const profil_region &region, uint64_t pc)
{
	if (!profil_bin_valid(&region) || pc < region.low || pc >= profil_bin_clip(&region))
		return -1;
	return static_cast<int64_t>(profil_bin_index(&region, pc));
}

} // namespace libprofil
