// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/flavours/solaris.h  The Solaris flavour. */
#pragma once

#include "libprofil/flavours/classic.h"

#include <cstdint>

namespace libprofil {

/**
 * profil() of Solaris: 16-bit counters, and the index is rounded down; with scale 2
 * every PC counts in the first counter.
 *
 *  - scale 0 or 1: turns the profile off.
 *  - bufsiz below one counter, or a buffer at an odd address: nothing is counted, the
 *    previous profile is off, and no error is reported.
 *  - a buffer that cannot be written: the first tick that counts in it turns the profile off.
 *  - the whole profile stops instead of counting beyond 32767.
 *  - the number of PCs that pcsample() had stored is discarded.
 *
 * @return 0, or an errno value: the module is missing, or limits are reached.
 */
[[nodiscard]] int solaris_profil(const Histogram &histogram);

/**
 * pcsample(): store every PC in order, until the array is full.
 *
 *  - nr < 0: EINVAL, and the previous profile continues.
 *  - nr == 0: turns sampling off.
 *  - an array that cannot be written: the first tick turns sampling off.
 *
 * pcsample() and profil() replace each other.
 *
 * @param previous out: PCs stored since the previous pcsample(); 0 if there was
 *        none, or after profil().
 * @return 0, or an errno value.
 */
[[nodiscard]] int solaris_pcsample(uintptr_t *samples, long nr, long &previous);

} // namespace libprofil
