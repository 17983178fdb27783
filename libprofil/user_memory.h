// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/user_memory.h
 * Use a caller's pointer as a kernel would: a bad one is EFAULT, not a crash.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace libprofil {

/**
 * Copy from a caller's memory.  Async-signal-safe.
 * @return 0, or EFAULT.
 */
[[nodiscard]] int copy_from_caller(void *to, const void *from, size_t bytes);

/** Copy to a caller's memory.  @return 0, or EFAULT. */
[[nodiscard]] int copy_to_caller(void *to, const void *from, size_t bytes);

/**
 * Fault in the page at an address for writing.  Async-signal-safe.
 * @return 0, or EFAULT if it cannot be written.
 */
[[nodiscard]] int make_writable(uint64_t address);

} // namespace libprofil
