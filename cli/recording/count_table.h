// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/count_table.h  A recording's table of counts, which the kernel adds to. */
#pragma once

#include "cli/recording/counter_memory.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <linux/profil_record.h>
#include <vector>

namespace cli {

/** The module's smallest and largest table, in elements. */
constexpr uint64_t least_counts = uint64_t{1} << 8;
constexpr uint64_t most_counts = uint64_t{1} << 28;

/**
 * A hash table of (key, count) in pinned memory.
 *
 * Keys are never removed, so the table fills up.  Before it is full, another table replaces it.
 */
class CountTable {
public:
	using Visit = std::function<void(uint64_t key, uint64_t samples)>;

	/** @param counts elements, a power of two.  If memory is short, ok() is false. */
	explicit CountTable(uint64_t counts) : memory_(counts * sizeof(profil_count)), seen_(counts) {}

	[[nodiscard]] bool ok() const { return memory_.data() != nullptr; }
	[[nodiscard]] uint64_t counts() const { return seen_.size(); }
	[[nodiscard]] uint64_t bytes() const { return memory_.bytes(); }
	[[nodiscard]] void *memory() const { return memory_.data(); }
	[[nodiscard]] uint64_t address() const { return reinterpret_cast<uintptr_t>(memory_.data()); }
	/** Visit the counts since the last call, while the kernel goes on counting. */
	void drain(const Visit &visit);
	/**
	 * True if it is time for another table.  Each call looks at a few elements, different ones
	 * each time: keys are spread evenly.
	 */
	[[nodiscard]] bool fills_up();

private:
	CounterMemory memory_;
	std::vector<uint64_t> seen_; /* each element's count at the last drain() */
	size_t next_look_ = 0;
};

/**
 * The number of elements for a first table.
 * @param memory bytes for this table and the one that replaces it.
 * @param ticks the most ticks on all CPUs between two looks at the table.
 * @param many_numbers whether every process, with each of its texts, needs a number.  The
 *        module has more numbers for a larger table.
 */
uint64_t first_counts(uint64_t memory, uint64_t ticks, bool many_numbers);

/**
 * The number of elements for a table that replaces one with @p counts: twice as many, or else
 * the same number; 0 if both tables do not fit in @p memory bytes.
 */
uint64_t next_counts(uint64_t memory, uint64_t counts);

} // namespace cli
