// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/flavours/tru64.h  The Tru64 flavour. */
#pragma once

#include "libprofil/flavours/classic.h"

namespace libprofil {

/** struct profil_args of <profil/tru64.h>. */
struct Tru64Range {
	uint32_t *buffer;
	void *high;   /**< last PC */
	void *low;    /**< first PC */
	void *offset; /**< subtracted from the PC */
	unsigned scale;
};

/** struct profil_args_v5: the same without offset; low takes its place. */
struct Tru64RangeV5 {
	uint32_t *buffer;
	void *high;
	void *low;
	unsigned long scale;
};

/** Layout of the elements of the extended form. */
enum class Tru64Layout {
	manual, /**< Tru64Range */
	v5	/**< Tru64RangeV5 */
};

/**
 * profil() of Tru64, first form: 1024 Hz, and the index is rounded up to a whole
 * 16-bit counter; with scale 2 every PC counts in the first counter; counters wrap.
 *
 *  - scale 0 or 1: turns the profile off.
 *  - size below one counter, or a buffer at an odd address: nothing is counted, the
 *    previous profile is off, and no error is reported.
 *  - a buffer that cannot be written: the first tick that counts in it turns the profile off.
 *
 * @return 0, or an errno value: the module is missing, or limits are reached.
 */
[[nodiscard]] int tru64_profil(const Histogram &histogram);

/**
 * profil() of Tru64 with offset -1: up to 64 ranges with 32-bit counters.
 *
 * Each range has as many counters as its scale and its length need.  If a buffer
 * cannot be written, only its own range is off.  Ranges may touch: if the last PC of
 * a range is the first PC of the range before it, the range before it counts that PC.
 * (The manual page says only that ranges do not overlap.)
 *
 * @return 0, or an errno value: EFAULT (the array), EINVAL (not 1 to 64 ranges,
 *         not in decreasing order of low, ranges that overlap or are empty, an
 *         unknown flag, an unaligned buffer).  The previous profile then continues.
 */
[[nodiscard]] int tru64_extended(const void *args, size_t nr, unsigned long flags, Tru64Layout layout);

} // namespace libprofil
