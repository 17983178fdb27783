// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/count_table.h"

#include <algorithm>
#include <bit>

namespace cli {
namespace {

/* A table costs all its pages from the start, and each drain() reads all of it. */
constexpr uint64_t small_counts = uint64_t{1} << 13;
constexpr uint64_t large_counts = uint64_t{1} << 19;
/* Elements for each tick that can come before the next look, which may be late. */
constexpr uint64_t counts_for_tick = 32;

/* The number of elements that fills_up() looks at. */
constexpr size_t some = 256;

} // namespace

void CountTable::drain(const Visit &visit)
{
	const std::span<profil_count> counts = memory_.elements<profil_count>();

	for (size_t i = 0; i < seen_.size(); i++) {
		const uint64_t now = __atomic_load_n(&counts[i].count, __ATOMIC_ACQUIRE);

		if (now == seen_[i])
			continue;
		visit(__atomic_load_n(&counts[i].key, __ATOMIC_RELAXED), now - seen_[i]);
		seen_[i] = now;
	}
}

/*
 * A key may be in either of two runs of 16 elements.  In a table that is three eighths full, at
 * most one new key in a hundred thousand finds no room in either; if half full, one or two do.
 */
bool CountTable::fills_up()
{
	const std::span<profil_count> counts = memory_.elements<profil_count>();
	const size_t number = std::min(some, counts.size());
	size_t used = 0;

	for (size_t i = 0; i < number; i++)
		used += __atomic_load_n(&counts[next_look_ + i].key, __ATOMIC_RELAXED) != 0;
	next_look_ = (next_look_ + number) % counts.size();
	return used >= number / 8 * 3;
}

uint64_t first_counts(uint64_t memory, uint64_t ticks, bool many_numbers)
{
	const uint64_t useful =
		many_numbers ? large_counts
			     : std::clamp(std::bit_ceil(std::min(ticks, large_counts) * counts_for_tick),
					  small_counts, large_counts);

	return std::clamp(std::bit_floor(memory / 2 / sizeof(profil_count)), least_counts, useful);
}

uint64_t next_counts(uint64_t memory, uint64_t counts)
{
	const uint64_t all = memory / sizeof(profil_count);

	/* Double only if another table of the new size can follow. */
	if (2 * counts <= most_counts && all / 4 >= counts)
		return 2 * counts;
	return all / 2 >= counts ? counts : 0;
}

} // namespace cli
