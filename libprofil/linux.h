// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file linux.h  The Linux (glibc) flavour. */
#pragma once

#include "libprofil/classic.h"

namespace libprofil {

/** struct prof of glibc's <sys/profil.h>. */
struct LinuxProf {
	void *base;
	size_t bytes;
	size_t offset;
	unsigned long scale;
};

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
 *
 * @return 0, or an errno value.
 */
[[nodiscard]] int linux_profil(const Histogram &histogram);

/**
 * sprofil() as glibc declares it, counted by the kernel module.
 *
 * Of regions that overlap the one with the largest offset counts a PC.  An entry
 * with offset 0 and scale 2 is the overflow entry, wherever it stands, of several
 * the last: it counts in its first counter what is in no region.  Entries with scale 0 and buffers
 * below one counter count nothing.  Counters stay at their greatest value.
 *
 *  - nr 0, or nothing to count: off.
 *  - EINVAL: nr below 0, an unknown flag, a buffer at an address where no counter
 *    can be, a scale above 32 bits; EFAULT: the array, tvp, a buffer.
 *    What was on goes on then.
 *
 * @param profp elements of type LinuxProf.
 * @param tvp receives the time between two ticks, unless NULL.
 * @return 0, or an errno value.
 */
[[nodiscard]] int linux_sprofil(const void *profp, int nr, void *tvp, unsigned flags);

} // namespace libprofil
