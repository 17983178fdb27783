// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file bsd.h  The macOS and BSD flavour. */
#pragma once

#include "libprofil/classic.h"

namespace libprofil {

/**
 * profil() of the BSDs: as Solaris', but 1 and 2 are scales like others, and
 * counters wrap.
 *
 *  - scale above 0x10000: EINVAL, and what was on goes on.
 *  - scale 0: off.
 *  - size below one counter: nothing is counted, and what was on is off.
 *  - a buffer at an odd address: EINVAL; one that cannot be written: EFAULT; in
 *    both cases what was on is off.
 *
 * @return 0, or an errno value.
 */
[[nodiscard]] int bsd_profil(const Histogram &histogram);

/**
 * add_profil() of macOS: one more buffer, until the next profil().
 *
 * Nothing while profiling is off.  Of a PC that several buffers cover the
 * counter is the one in the buffer that was given first: here the module counts
 * a PC once.
 * @return 0, or an errno value: EINVAL and EFAULT as above, but what was on
 *         goes on; ENOMEM beyond 100 buffers.
 */
[[nodiscard]] int bsd_add_profil(const Histogram &histogram);

} // namespace libprofil
