// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file aix.h  The AIX flavour. */
#pragma once

#include "libprofil/classic.h"

namespace libprofil {

/** struct prof of AIX's <mon.h>. */
struct AixRange {
	char *low;
	char *high; /**< first PC above; NULL ends the list */
	uint16_t *buffer;
	int bytes;
	unsigned scale;
};

/**
 * profil() of AIX, first form: 16-bit counters, rounded up to a whole one, that
 * stay at 65535; ticks in the kernel are not counted; of the scale only the low
 * 16 bits count; scale 2 is a clock.
 *
 *  - scale 0 or 1: off, if this form is on; else no effect.
 *  - size below one counter: no effect.
 *  - on while on, in either form: no effect.
 *  - a buffer at an odd address: EINVAL; NULL, or one that cannot be written or
 *    pinned, also for want of memory: EFAULT.
 *
 * @return 0, or an errno value.
 */
[[nodiscard]] int aix_profil(const Histogram &histogram);

/**
 * profil() of AIX with size -1: a list of ranges.
 *
 * The first range with low <= pc < high counts the PC.  Scale 0 and 1: nothing is
 * counted there.  Scale -1: the one with which the buffer covers the range.
 *
 *  - a list that begins with its end: off, if this form is on; else no effect.
 *  - on while on, in either form: no effect.
 *
 * @return 0, or an errno value: EINVAL (the ends do not ascend; a buffer at an
 *         odd address), EFAULT (the list, a buffer, or no memory to pin one).
 */
[[nodiscard]] int aix_extended(const void *ranges);

/**
 * Elements of a list of ranges up to its end, which a high of NULL tells.
 * @return 0, EFAULT, or EINVAL: more than the module takes.
 */
[[nodiscard]] int count_ranges(const AixRange *list, size_t &nr);

/**
 * The scale for p_scale -1.
 * @param text bytes of the range; @param bytes of the buffer.
 */
[[nodiscard]] uint32_t aix_scale(uint64_t text, uint64_t bytes);

} // namespace libprofil
