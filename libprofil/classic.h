// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file classic.h
 * What the calls of the classical systems have in common.
 *
 * Nothing here knows a system: the flavours say how they round, at which scale
 * they are off, and what they answer.
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

/** As many regions as the module takes. */
constexpr size_t regions_max = 32768;

/** The scale at which most systems count everything in the first counter. */
constexpr unsigned scale_of_clock = 2;

/** A buffer and what it is for, as the caller gave it. */
struct Histogram {
	uintptr_t buffer;
	size_t bytes;
	uintptr_t offset;
	uint32_t scale;
	uint8_t width; /**< bytes of a counter: 2 or 4 */
};

/** Which direction a system rounds in when it makes an index of a distance. */
enum class Rounding {
	down,	    /**< ((d * scale) >> 16) / width */
	up,	    /**< (((d * scale) >> 16) + 1) / width: to a whole 16-bit counter */
	halve_first /**< ((d / width) * scale) >> 16 */
};

/**
 * Everything from the offset up; the module clips it to what the buffer covers.
 *
 * Only whole counters of the buffer are used.  @see struct profil_region.
 */
[[nodiscard]] profil_region region_of(const Histogram &histogram, Rounding rounding);

/** The same, where scale 2 counts everything in the first counter. */
[[nodiscard]] profil_region region_or_clock(const Histogram &histogram, Rounding rounding);

/** Does the buffer hold a counter? */
[[nodiscard]] constexpr bool has_room(const Histogram &histogram)
{
	return histogram.bytes >= histogram.width;
}

/** May the module be asked for so many counters? */
[[nodiscard]] bool is_possible(const Histogram &histogram);

/** Is the buffer where a counter can be? */
[[nodiscard]] constexpr bool is_aligned(const Histogram &histogram)
{
	return histogram.buffer % histogram.width == 0;
}

/** The region that swallows its ticks: they are in no counter at all. */
[[nodiscard]] profil_region swallowing(const profil_region &region);

/** A pointer as the module takes it. */
[[nodiscard]] inline uint64_t address(const void *pointer)
{
	return reinterpret_cast<uintptr_t>(pointer);
}

/** ns as a timeval. */
[[nodiscard]] constexpr timeval timeval_of(uint64_t ns)
{
	return {static_cast<time_t>(ns / 1'000'000'000), static_cast<suseconds_t>(ns / 1000 % 1'000'000)};
}

/**
 * Start, or be off: for a system that takes no notice of a buffer that it cannot
 * write.
 *
 * What was on is replaced in any case.  EFAULT and EINVAL become 0; with regions
 * beside the bad one these go on, each that cannot be written swallows its ticks.
 * @param regions of the spec, may be changed.
 * @return 0, or an errno value that has nothing to do with the arguments.
 */
[[nodiscard]] int start_or_off(profil_spec spec, profil_region *regions);

/**
 * The same for one buffer, where scales 0 and 1 are off and 2 is a clock, and a
 * buffer of no counter or at an odd address counts nothing.
 * @param spec without regions.
 */
[[nodiscard]] int start_histogram_or_off(profil_spec spec, const Histogram &histogram, Rounding rounding);

} // namespace libprofil
