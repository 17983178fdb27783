// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/flavours/bsd.h  The macOS and BSD flavour. */
#pragma once

#include "libprofil/flavours/classic.h"

namespace libprofil {

/**
 * profil() of the BSDs: as on Solaris, except that 1 and 2 are ordinary scales
 * and counters wrap.
 *
 *  - scale above 0x10000: EINVAL, and the previous profile continues.
 *  - scale 0: turns the profile off.
 *  - size below one counter: nothing is counted, and the previous profile is off.
 *  - a buffer at an odd address: EINVAL; one that cannot be written: EFAULT.  In
 *    both cases the previous profile is off.
 *
 * @return 0, or an errno value.
 */
[[nodiscard]] int bsd_profil(const Histogram &histogram);

/**
 * add_profil() of macOS: one more buffer, until the next profil().
 *
 * It does nothing while profiling is off.  A PC that several buffers cover counts in
 * one of them: profil()'s own, else the one that was added last.  Scales above 0x10000
 * are allowed here, as on macOS.
 * @return 0, or an errno value: EINVAL (a buffer at an odd address); EFAULT, which
 *         macOS does not report to the program; ENOMEM beyond 100 buffers.  The
 *         previous buffers then continue.
 */
[[nodiscard]] int bsd_add_profil(const Histogram &histogram);

} // namespace libprofil
