// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/flavours/irix.h  The IRIX flavour. */
#pragma once

#include "libprofil/flavours/classic.h"

namespace libprofil {

/** struct prof of <profil/irix.h>. */
struct IrixProf {
	void *base;
	unsigned bytes;
	size_t offset;
	unsigned scale;
};

/**
 * profil() of IRIX: as on Solaris, except that counters wrap.
 * @return 0, or an errno value that IRIX does not report to the program.
 */
[[nodiscard]] int irix_profil(const Histogram &histogram);

/**
 * The address that a four-byte offset means, for callers such as Fortran programs.
 *
 * Usually this is the offset itself.  But an address in a position-independent program
 * does not fit in four bytes, and loses its upper half.  So the result is the address
 * near the program's entry point that has the same low half, if something is mapped
 * there and nothing at the offset itself.
 */
[[nodiscard]] uintptr_t irix_offset(uint32_t offset);

/**
 * sprofil() of IRIX: many regions.
 *
 * A PC belongs to the region with the largest offset strictly below it; of equal
 * offsets the first entry wins.  The region with the lowest offset also covers the PC at
 * its offset.  A PC beyond the end of its region counts in the first counter of the
 * overflow entry, which is the last entry, with offset 0 and scale 2.  A region with
 * scale 0 or 1 swallows its ticks, and so does a region once a tick could not write its
 * buffer.  If no entry has a scale of 2 or more, profiling is turned off.
 *
 * Errors, in this order: E2BIG (not 1 to 100 entries), EFAULT (the array),
 * EINVAL (an overflow entry that is not the last, flags with neither PROF_USHORT
 * nor PROF_UINT or with an unknown one, an unaligned buffer), EFAULT (tvp); then the
 * module's errors.
 *
 * PROF_USHORT and PROF_UINT together are PROF_UINT.
 *
 * @param profp elements of type IrixProf.
 * @param tvp receives the time between two ticks, unless NULL.
 * @param bits which struct timeval tvp points to.
 * @return 0, or an errno value.
 */
[[nodiscard]] int irix_sprofil(const void *profp, int nr, void *tvp, unsigned flags,
			       TimeBits bits = TimeBits::usual);

} // namespace libprofil
