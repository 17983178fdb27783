// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/flavours/linux.h  The Linux (glibc) flavour. */
#pragma once

#include "libprofil/flavours/classic.h"

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
 *  - buffer NULL, or scale 0: turns the profile off.
 *  - size below one counter: nothing is counted, and the previous profile is off.
 *  - a buffer at an odd address: EINVAL; one that cannot be written: EFAULT.
 *    The previous profile then continues.
 *  - a size above 1 GiB, such as (size_t)-1: the buffer is checked when a counter in
 *    it changes, not at the start.
 *
 * @return 0, or an errno value.
 */
[[nodiscard]] int linux_profil(const Histogram &histogram);

/**
 * sprofil() as glibc declares it, counted by the kernel module.
 *
 * Where regions overlap, the one with the largest offset counts the PC.  PCs in no region
 * count in the first counter of the overflow entry: the last entry with offset 0 and
 * scale 2, anywhere in the array.  Entries with scale 0 or with buffers below one counter
 * count nothing.  Counters stay at their greatest value.
 *
 *  - nr 0, or nothing to count: turns the profile off.
 *  - EINVAL: nr below 0, an unknown flag, an unaligned buffer, a scale above 32
 *    bits; EFAULT: the array, tvp, a buffer.  The previous profile then continues.
 *
 * @param profp elements of type LinuxProf.
 * @param tvp receives the time between two ticks, unless NULL.
 * @param bits which struct timeval tvp points to.
 * @return 0, or an errno value.
 */
[[nodiscard]] int linux_sprofil(const void *profp, int nr, void *tvp, unsigned flags,
				TimeBits bits = TimeBits::usual);

} // namespace libprofil
