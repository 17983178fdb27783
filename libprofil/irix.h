// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file irix.h  The IRIX flavour. */
#pragma once

#include "libprofil/classic.h"

namespace libprofil {

/** struct prof of <profil/irix.h>. */
struct IrixProf {
	void *base;
	unsigned bytes;
	size_t offset;
	unsigned scale;
};

/**
 * profil() of IRIX: as Solaris', but its counters wrap.
 * @return 0, or an errno value that the caller of the real one never sees.
 */
[[nodiscard]] int irix_profil(const Histogram &histogram);

/**
 * sprofil() of IRIX: many regions.
 *
 * The region of a PC is the one with the largest offset strictly below it, of
 * equal ones the first; a PC beyond the end of that one counts in the overflow
 * entry, which is the last, has offset 0 and scale 2, and counts in its first
 * counter.  A region with scale 0 or 1, or whose buffer cannot be written,
 * swallows its ticks.  Without a scale of 2 or more: off.
 *
 * Errors, in this order: E2BIG (not 1 to 100 entries), EFAULT (the array),
 * EINVAL (an overflow entry that is not the last, flags that are not one of
 * PROF_USHORT and PROF_UINT with or without PROF_FAST, a buffer at an address
 * where no counter can be), EFAULT (tvp); then what the module says.
 *
 * @param profp elements of type IrixProf.
 * @param tvp receives the time between two ticks, unless NULL.
 * @return 0, or an errno value.
 */
[[nodiscard]] int irix_sprofil(const void *profp, int nr, void *tvp, unsigned flags);

} // namespace libprofil
