// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/flavours/aix.h  The AIX flavour. */
#pragma once

#include "libprofil/flavours/classic.h"

namespace libprofil {

/** struct prof of AIX's <mon.h>. */
struct AixRange {
	char *low;
	char *high; /**< first PC above the range; NULL ends the list */
	uint16_t *buffer;
	int bytes;
	unsigned scale;
};

/**
 * profil() of AIX, first form.
 *
 * The index is rounded up to a whole 16-bit counter, and a counter stays at 65535.
 * Ticks in the kernel are not counted.  Only the low 16 bits of the scale are
 * used; with scale 2 every PC counts in the first counter.
 *
 *  - scale 0 or 1: turns the profile off, unless the other form has started it.
 *  - size below one counter: no effect.
 *  - any other scale while a profile is on, in either form: no effect.
 *  - a buffer at an odd address: EINVAL; a buffer that is NULL, or that cannot be
 *    written, including for lack of memory: EFAULT.
 *
 * @return 0, or an errno value.
 */
[[nodiscard]] int aix_profil(const Histogram &histogram);

/**
 * profil() of AIX with size -1: a list of ranges.
 *
 * The first range with low <= pc < high counts the PC.  A range with scale 0 or 1
 * counts nothing.  Scale -1 is computed so that the buffer covers the range.
 *
 *  - an empty list: turns the profile off if this form is on; otherwise no effect.
 *  - a list in which no range counts: no effect.
 *  - any other list while a profile is on, in either form: no effect.
 *
 * @return 0, or an errno value: EINVAL (high does not ascend, or a buffer is at an
 *         odd address), EFAULT (the list or a buffer is bad, or there is no memory).
 */
[[nodiscard]] int aix_extended(const void *ranges);

/**
 * Count the elements of a list of ranges, which ends with a high of NULL.
 * @return 0, EFAULT, or EINVAL: more elements than the module accepts.
 */
[[nodiscard]] int count_ranges(const AixRange *list, size_t &nr);

/**
 * The scale that p_scale -1 stands for.
 * @param text size of the range in bytes; @param bytes size of the buffer.
 */
[[nodiscard]] uint32_t aix_scale(uint64_t text, uint64_t bytes);

} // namespace libprofil
