// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/mapping.h  Map zeroed memory without malloc(3).  Async-signal-safe. */
#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace libprofil {

/**
 * Map zeroed memory; its pages are allocated on first use.
 * @return the memory, to be freed with munmap(2), or nullptr.
 */
[[nodiscard]] inline void *map_zeroes(size_t bytes)
{
	void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? nullptr : memory;
}

/** map_zeroes(), but a child made by fork sees zeroes again. */
[[nodiscard]] inline void *map_wiped_by_fork(size_t bytes)
{
	void *const memory = map_zeroes(bytes);

	if (memory)
		madvise(memory, bytes, MADV_WIPEONFORK);
	return memory;
}

} // namespace libprofil
