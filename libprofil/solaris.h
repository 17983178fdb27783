// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file solaris.h  The Solaris flavour. */
#pragma once

#include <cstdint>

namespace libprofil {

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
