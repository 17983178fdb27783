// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/classic.h"

#include "kmod/tick/bin.h"

#include <cerrno>

namespace libprofil {

static uint8_t shift_of(uint8_t width)
{
	return width == sizeof(uint32_t) ? 2 : 1;
}

bool is_possible(const Histogram &histogram)
{
	return histogram.bytes <= PROFIL_BIN_BYTES_MAX;
}

profil_region region_of(const Histogram &histogram, Rounding rounding)
{
	const uint8_t shift = shift_of(histogram.width);
	profil_region region = {};

	region.low = histogram.offset;
	region.high = UINT64_MAX;
	region.offset = histogram.offset;
	region.buffer = histogram.buffer;
	region.bytes = histogram.bytes - histogram.bytes % histogram.width;
	region.scale = histogram.scale;
	region.width = histogram.width;
	switch (rounding) {
	case Rounding::down: region.post = shift; break;
	case Rounding::up:
		region.post = shift;
		/* Only 16-bit counters are rounded up; wider ones never are. */
		region.bias = histogram.width == sizeof(uint16_t);
		break;
	case Rounding::halve_first: region.pre = shift; break;
	}
	return region;
}

profil_region region_or_clock(const Histogram &histogram, Rounding rounding)
{
	profil_region region = region_of(histogram, rounding);

	if (region.scale == scale_of_clock)
		region.scale = 0;
	return region;
}

profil_region swallowing(const profil_region &region)
{
	profil_region same = region;

	same.bytes = 0;
	same.buffer = 0;
	return same;
}

/* The module's error does not say which region it refused, so try them one by one. */
static void swallow_what_is_bad(profil_spec spec, profil_region *regions)
{
	const uint32_t nr = spec.nr_regions;

	spec.nr_regions = 1;
	spec.overflow = nullptr;
	spec.overflow_width = 0;
	for (uint32_t i = 0; i < nr; i++) {
		spec.regions = regions + i;
		if (regions[i].bytes && start_self(spec, nullptr) == EFAULT)
			regions[i] = swallowing(regions[i]);
	}
}

static bool is_of_arguments(int error)
{
	return error == EFAULT || error == EINVAL;
}

int start_or_off(profil_spec spec, profil_region *regions)
{
	int error = start_self(spec, nullptr);

	if (error == EFAULT && spec.nr_regions + !!spec.overflow > 1) {
		swallow_what_is_bad(spec, regions);
		error = start_self(spec, nullptr);
		if (error == EFAULT && spec.overflow) {
			spec.overflow = nullptr;
			spec.overflow_width = 0;
			error = start_self(spec, nullptr);
		}
	}
	if (!error)
		return 0;

	/* Whatever failed, the caller assumes that the previous buffer is no longer used. */
	const int error_off = stop_self(nullptr);

	return is_of_arguments(error) ? error_off : error;
}

int start_histogram_or_off(profil_spec spec, const Histogram &histogram, Rounding rounding)
{
	if (histogram.scale < scale_of_clock || !has_room(histogram) || !is_aligned(histogram))
		return stop_self(nullptr);

	profil_region region = region_or_clock(histogram, rounding);

	spec.regions = &region;
	spec.nr_regions = 1;
	return start_or_off(spec, &region);
}

} // namespace libprofil
