// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file solaris.h  The Solaris flavour. */
#pragma once

#include "libprofil/classic.h"

#include <cstdint>

namespace libprofil {

/**
 * profil() of Solaris: 16-bit counters, rounded down; scale 2 is a clock.
 *
 *  - scale 0 or 1: off.
 *  - bufsiz below one counter, a buffer at an odd address, or one that cannot be
 *    written: nothing is counted, what was on is off, and nobody is told.
 *  - the whole profile stops instead of counting beyond 32767.
 *  - what pcsample() had stored is forgotten.
 *
 * @return 0, or an errno value: the module is missing, or limits are reached.
 */
[[nodiscard]] int solaris_profil(const Histogram &histogram);

/**
 * pcsample(): every PC in order, until the array is full.
 *
 *  - nr < 0: EINVAL, and what was on goes on.
 *  - nr == 0: off.
 *  - an array that cannot be written: EFAULT, from the module.
 *
 * Replaces a profil() that is on, and is replaced by one.
 *
 * @param previous out: PCs that the call before had stored; 0 after none, and
 *        after profil().
 * @return 0, or an errno value.
 */
[[nodiscard]] int solaris_pcsample(uintptr_t *samples, long nr, long &previous);

} // namespace libprofil
