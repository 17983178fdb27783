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
 * sprofil() of IRIX: many regions.
 *
 * A PC belongs to the region with the largest offset strictly below it; of equal
 * offsets the first entry wins.  A PC beyond the end of its region counts in the
 * first counter of the overflow entry, which is the last entry, with offset 0 and
 * scale 2.  A region with scale 0 or 1, or whose buffer cannot be written, swallows
 * its ticks.  If no entry has a scale of 2 or more, profiling is turned off.
 *
 * Errors, in this order: E2BIG (not 1 to 100 entries), EFAULT (the array),
 * EINVAL (an overflow entry that is not the last, flags that are not one of
 * PROF_USHORT and PROF_UINT with or without PROF_FAST, an unaligned buffer),
 * EFAULT (tvp); then the module's errors.
 *
 * @param profp elements of type IrixProf.
 * @param tvp receives the time between two ticks, unless NULL.
 * @return 0, or an errno value.
 */
[[nodiscard]] int irix_sprofil(const void *profp, int nr, void *tvp, unsigned flags);

} // namespace libprofil
