// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/flavours/classic.h
 * Code that the calls of the classical systems share.
 *
 * Nothing here depends on a system.  The flavours choose the rounding, the scales
 * that turn profiling off, and the result of the call.
 */
#pragma once

#include "libprofil/profile.h"

#include <cstddef>
#include <sys/time.h>

namespace libprofil {

/** Rates of the classical systems, in Hz. */
constexpr unsigned classic_hz = 100;
constexpr unsigned fast_hz = 1000;
constexpr unsigned tru64_hz = 1024;

/** At this scale, most systems count every PC in the first counter. */
constexpr unsigned scale_of_clock = 2;

/** The caller's arguments: a buffer and the text it stands for. */
struct Histogram {
	uintptr_t buffer;
	size_t bytes;
	uintptr_t offset;
	uint32_t scale;
	uint8_t width; /**< bytes per counter: 2 or 4 */
};

/** How a system rounds when it converts a distance to an index. */
enum class Rounding {
	down,	    /**< ((d * scale) >> 16) / width */
	up,	    /**< (((d * scale) >> 16) + 1) / width: to a whole 16-bit counter */
	halve_first /**< ((d / width) * scale) >> 16 */
};

/**
 * A region from the offset upwards; the module clips it to the PCs that the buffer covers.
 *
 * Only whole counters of the buffer are used.  A buffer larger than the module accepts
 * is cut to the maximum.
 * @see struct profil_region.
 */
[[nodiscard]] profil_region region_of(const Histogram &histogram, Rounding rounding);

/** region_of(), except that scale 2 counts every PC in the first counter. */
[[nodiscard]] profil_region region_or_clock(const Histogram &histogram, Rounding rounding);

/** True if the buffer holds at least one counter. */
[[nodiscard]] constexpr bool has_room(const Histogram &histogram)
{
	return histogram.bytes >= histogram.width;
}

/** True if the module accepts a buffer of this size. */
[[nodiscard]] bool is_possible(const Histogram &histogram);

/** True if the buffer is aligned to its counters. */
[[nodiscard]] constexpr bool is_aligned(const Histogram &histogram)
{
	return histogram.buffer % histogram.width == 0;
}

/** A copy of the region without counters, which swallows its ticks. */
[[nodiscard]] profil_region swallowing(const profil_region &region);

/** A pointer as the module expects it: zero-extended to 64 bits. */
[[nodiscard]] inline uintptr_t address(const void *pointer)
{
	return reinterpret_cast<uintptr_t>(pointer);
}

/** The struct timeval of a program. */
enum class TimeBits {
	usual, /**< the library's own */
	wide   /**< on i386, that of _TIME_BITS=64: two members of 64 bits */
};

/**
 * Store the time between two ticks in a caller's struct timeval.
 * @param tvp may be NULL.
 * @return 0, or EFAULT.
 */
[[nodiscard]] int store_period(void *tvp, uint64_t ns, TimeBits bits);

/** Bytes of a buffer that are used: at most 1 GiB, and none beyond the end of user space. */
[[nodiscard]] uint64_t used_bytes(uint64_t start, uint64_t bytes);

/**
 * Start the profile, for systems on which a buffer that cannot be written is EFAULT.
 *
 * A buffer above 1 GiB means that the program does not know its size.  Then no buffer is
 * checked, and all are cut to used_bytes().
 * @param regions the spec's regions.
 * @return 0, or an errno value.
 */
[[nodiscard]] int start_regions(const profil_spec &spec, profil_region *regions);

/**
 * Start the profile, or turn profiling off: for systems that check the buffer only
 * when a counter changes, and do not report a buffer that cannot be written.
 *
 * The previous profile ends in any case.  EFAULT and EINVAL become 0.
 * @param regions the spec's regions; their buffers are cut to used_bytes().
 * @return 0, or an errno value whose cause is not in the arguments.
 */
[[nodiscard]] int start_or_off(const profil_spec &spec, profil_region *regions);

/**
 * start_or_off() for one buffer.  Scales 0 and 1 turn profiling off, and 2 counts every
 * PC in the first counter.  A buffer below one counter or at an odd address counts
 * nothing.
 * @param spec without regions.
 */
[[nodiscard]] int start_histogram_or_off(profil_spec spec, const Histogram &histogram, Rounding rounding);

} // namespace libprofil
