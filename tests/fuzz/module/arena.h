// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/arena.h  The memory that counters are in, and what happens to it meanwhile. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <cstdint>

namespace fuzz {

/**
 * At fixed addresses, the same in every process: slots that come and go.  The
 * first bytes of each are nobody's, and stay zero.
 */
class Arena {
public:
	static constexpr uintptr_t start = 0x200000000000;
	static constexpr size_t slot_bytes = 1 << 16;
	static constexpr unsigned slots = 64; /* of which 32 can be one huge page */
	static constexpr size_t margin = 64;

	/** Once a process. */
	static void map_all();
	/** munmap, mprotect, mremap, madvise or another mapping, somewhere. */
	static void disturb(Random &random);
	/** Has anybody written where no counter is? */
	static void check_margins(Random &random);

	/** A place for counters: mostly whole and good, now and then anything. */
	static uint64_t place(Random &random, uint64_t align, uint64_t &bytes);
};

} // namespace fuzz
