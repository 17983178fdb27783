// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/linux.h"

#include "libprofil/flavours/partition.h"
#include "libprofil/scratch.h"
#include "libprofil/user_memory.h"

#include <cerrno>

namespace libprofil {

/* The values of glibc's <sys/profil.h>; IRIX uses different ones. */
constexpr unsigned linux_uint = 1;
constexpr unsigned linux_fast = 2;

int linux_profil(const Histogram &histogram)
{
	if (!histogram.buffer || !histogram.scale || !has_room(histogram)) {
		stop_self(nullptr);
		return 0;
	}

	profil_region region = region_of(histogram, Rounding::halve_first);
	profil_spec spec = classic_profile();

	spec.regions = &region;
	spec.nr_regions = 1;
	return start_regions(spec, &region);
}

static bool is_overflow(const LinuxProf &entry)
{
	return entry.offset == 0 && entry.scale == scale_of_clock;
}

/* Separate the regions, in the order given, from the overflow counter. */
static int sort_out(const LinuxProf *entries, size_t nr, uint8_t width, profil_region *regions, size_t &made,
		    profil_spec &spec)
{
	made = 0;
	for (size_t i = 0; i < nr; i++) {
		const LinuxProf &entry = entries[i];

		if (entry.scale > UINT32_MAX)
			return EINVAL;

		const Histogram histogram = {address(entry.base), entry.bytes, entry.offset,
					     static_cast<uint32_t>(entry.scale), width};

		if (!is_aligned(histogram))
			return EINVAL;
		if (!histogram.scale || !has_room(histogram))
			continue;
		if (!histogram.buffer)
			return EFAULT;
		if (!is_overflow(entry)) {
			regions[made++] = region_of(histogram, Rounding::halve_first);
		} else {
			spec.overflow = entry.base;
			spec.overflow_width = width;
		}
	}
	return 0;
}

static int start_entries(const void *profp, size_t nr, profil_spec &spec, uint8_t width)
{
	const Scratch<LinuxProf> entries(nr);
	const Scratch<profil_region> regions(nr), parts(2 * nr);
	size_t made;

	if (!entries || !regions || !parts)
		return ENOMEM;
	if (const int error = copy_from_caller(entries.get(), profp, nr * sizeof(LinuxProf)))
		return error;
	if (const int error = sort_out(entries.get(), nr, width, regions.get(), made, spec))
		return error;
	if (made > regions_max)
		return E2BIG;
	if (const int error = partition(regions.get(), made, Winner::largest_offset, Extent::clipped,
					parts.get(), made))
		return error;
	if (!made && !spec.overflow) {
		stop_self(nullptr);
		return 0;
	}
	spec.regions = made ? parts.get() : nullptr;
	spec.nr_regions = static_cast<uint32_t>(made);
	return start_regions(spec, parts.get());
}

int linux_sprofil(const void *profp, int nr, void *tvp, unsigned flags, TimeBits bits)
{
	profil_spec spec = classic_profile();

	if (nr < 0 || flags & ~(linux_uint | linux_fast))
		return EINVAL;
	spec.limit_policy = PROFIL_SATURATE;
	spec.period = period_of(flags & linux_fast ? fast_hz : classic_hz);
	if (const int error = store_period(tvp, spec.period, bits))
		return error;
	if (!nr) {
		stop_self(nullptr);
		return 0;
	}
	return start_entries(profp, static_cast<size_t>(nr), spec,
			     flags & linux_uint ? sizeof(uint32_t) : sizeof(uint16_t));
}

} // namespace libprofil
