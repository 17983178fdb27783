// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/arena.h  The memory for counters, and random changes to it. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <cstdint>

namespace fuzz {

/**
 * Slots of memory that are mapped and unmapped, at addresses that are the same in every process.
 * The first bytes of each slot hold no counter and stay zero.
 */
class Arena {
public:
	static constexpr uintptr_t start = 0x200000000000;
	static constexpr size_t slot_bytes = 1 << 16;
	static constexpr unsigned slots = 64; /* 32 of them fit one huge page */
	static constexpr size_t margin = 64;

	/** Maps all slots, once in each process. */
	static void map_all(Random &random);
	/**
	 * Unmaps, protects, moves, advises or locks a slot; maps it anew, sometimes from the slow
	 * file; or makes a userfaultfd watch it.
	 */
	static void disturb(Random &random);
	/** Complains if the margin of a slot, which holds no counter, was written. */
	static void check_margins(Random &random);

	/** A place for counters: mostly valid, now and then at a bad address. */
	static uint64_t place(Random &random, uint64_t align, uint64_t &bytes);
};

} // namespace fuzz
