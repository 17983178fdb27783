// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file linux.h  The Linux (glibc) flavour. */
#pragma once

#include <cstddef>

namespace libprofil {

/**
 * profil() as glibc declares it, counted by the kernel module.
 *
 * A PC at d bytes above offset counts in counter ((d / 2) * scale) >> 16 of
 * the whole 16-bit counters that fit in the buffer; they wrap.
 *
 *  - buffer NULL, or scale 0: off.
 *  - size below one counter: nothing is counted, and what was on is off.
 *  - a buffer at an odd address: EINVAL; one that cannot be written: EFAULT,
 *    from the module.  What was on goes on then.
 *  - size -1 or offset -1: EINVAL.  No buffer and no program can have these;
 *    AIX and Tru64 select their extended forms by them.
 *
 * @return 0, or an errno value.
 */
[[nodiscard]] int linux_profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale);

} // namespace libprofil
