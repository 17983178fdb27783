// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file mapping.h  Zeroed memory of its own, without malloc(3).  Async-signal-safe. */
#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace libprofil {

/**
 * Map it; pages are taken when they are touched.
 * @return the memory, which munmap(2) gives back, or nullptr.
 */
[[nodiscard]] inline void *map_zeroes(size_t bytes)
{
	void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? nullptr : memory;
}

/** The same, all zeroes again in a child made by fork. */
[[nodiscard]] inline void *map_wiped_by_fork(size_t bytes)
{
	void *const memory = map_zeroes(bytes);

	if (memory)
		madvise(memory, bytes, MADV_WIPEONFORK);
	return memory;
}

} // namespace libprofil
