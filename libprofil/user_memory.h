// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file user_memory.h
 * What the old kernels did with a caller's pointer: EFAULT, not a crash.
 */
#pragma once

#include <cstddef>

namespace libprofil {

/**
 * Copy from where a caller's pointer points.  Async-signal-safe.
 * @return 0, or EFAULT.
 */
[[nodiscard]] int copy_from_caller(void *to, const void *from, size_t bytes);

/** Copy to where a caller's pointer points.  @return 0, or EFAULT. */
[[nodiscard]] int copy_to_caller(void *to, const void *from, size_t bytes);

} // namespace libprofil
