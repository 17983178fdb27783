// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/aix.h"

#include "libprofil/flavours/partition.h"
#include "libprofil/lock.h"
#include "libprofil/scratch.h"
#include "libprofil/user_memory.h"

#include <algorithm>
#include <cerrno>
#include <mutex>

namespace libprofil {

constexpr uint32_t scale_mask = 0xffff;
constexpr unsigned computed_scale = UINT32_MAX;

/* Held from the check for a running profile until the start: only one thread may start one. */
static constinit Lock lock;

static profil_spec aix_profile()
{
	profil_spec spec = classic_profile();

	spec.flags &= ~static_cast<uint32_t>(PROFIL_KERNEL_TICKS);
	spec.limit_policy = PROFIL_SATURATE;
	return spec;
}

/* On AIX, lack of memory for the profile is EFAULT, whatever its cause. */
static int error_of(int error)
{
	return error == ENOMEM || error == EDQUOT ? EFAULT : error;
}

static int start_form(const profil_spec &spec, bool extended)
{
	if (const int error = start_self(spec, nullptr))
		return error_of(error);
	if (extended)
		mark(Kind::aix_list);
	return 0;
}

/* The first form also stops a profile that another flavour has started. */
static void stop_form(bool extended)
{
	if (is_marked(Kind::aix_list) == extended)
		stop_self(nullptr);
}

int aix_profil(const Histogram &histogram)
{
	const std::lock_guard guard(lock);
	Histogram meant = histogram;
	bool running = false;

	meant.scale &= scale_mask;
	if (meant.scale < scale_of_clock) {
		stop_form(false);
		return 0;
	}
	if (const int error = is_running(running))
		return error;
	if (running || !has_room(meant))
		return 0;
	if (!is_aligned(meant))
		return EINVAL;
	if (!meant.buffer || !is_possible(meant))
		return EFAULT;

	const profil_region region = region_or_clock(meant, Rounding::up);
	profil_spec spec = aix_profile();

	spec.regions = &region;
	spec.nr_regions = 1;
	return start_form(spec, false);
}

uint32_t aix_scale(uint64_t text, uint64_t bytes)
{
	const uint64_t halfwords = text / 2 + text % 2;
	const uint64_t counters = std::min(bytes / 2, halfwords);

	if (!counters)
		return 0;
	if (counters < 0x10000)
		return static_cast<uint32_t>(((counters << 16) - 1) / halfwords);
	return static_cast<uint32_t>((counters - 1) / ((halfwords + 0xffff) >> 16));
}

/* The range owns its ticks even where no counter covers them. */
static int make_region(const AixRange &range, profil_region &region)
{
	const uintptr_t low = address(range.low), high = address(range.high);
	const size_t bytes = range.bytes > 0 ? static_cast<size_t>(range.bytes) : 0;
	Histogram histogram = {address(range.buffer), bytes, low, range.scale & scale_mask, sizeof(uint16_t)};

	if (range.scale == computed_scale)
		histogram.scale = aix_scale(high - low, bytes) & scale_mask;
	region = region_or_clock(histogram, Rounding::up);
	region.high = high;
	if (histogram.scale < scale_of_clock || !has_room(histogram)) {
		region = swallowing(region);
		return 0;
	}
	if (!is_aligned(histogram))
		return EINVAL;
	return histogram.buffer ? 0 : EFAULT;
}

int count_ranges(const AixRange *list, size_t &nr)
{
	AixRange range;

	for (nr = 0; nr < regions_max; nr++) {
		if (const int error = copy_from_caller(&range, list + nr, sizeof range))
			return error;
		if (!range.high)
			return 0;
	}
	return EINVAL;
}

static int make_regions(const AixRange *list, size_t nr, profil_region *regions, size_t &made)
{
	uint64_t before = 0;

	made = 0;
	for (size_t i = 0; i < nr; i++) {
		AixRange range;

		if (const int error = copy_from_caller(&range, list + i, sizeof range))
			return error;
		if (address(range.high) <= before)
			return EINVAL;
		before = address(range.high);
		if (address(range.low) >= before)
			continue;
		if (const int error = make_region(range, regions[made++]))
			return error;
	}
	return 0;
}

static bool counts(const profil_region *regions, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (regions[i].bytes)
			return true;
	return false;
}

static int start_ranges(const AixRange *list, size_t nr)
{
	const Scratch<profil_region> regions(nr), parts(2 * nr);
	profil_spec spec = aix_profile();
	size_t made;

	if (!regions || !parts)
		return EFAULT;
	if (const int error = make_regions(list, nr, regions.get(), made))
		return error;
	/*
	 * Do not start a profile that counts nothing: while it is on, later calls would have no
	 * effect.
	 */
	if (!counts(regions.get(), made))
		return 0;
	if (const int error = partition(regions.get(), made, Winner::first, Extent::whole, parts.get(), made))
		return error_of(error);
	spec.regions = parts.get();
	spec.nr_regions = static_cast<uint32_t>(made);
	return start_form(spec, true);
}

int aix_extended(const void *ranges)
{
	const auto *list = static_cast<const AixRange *>(ranges);
	bool running = false;
	size_t nr;

	if (const int error = count_ranges(list, nr))
		return error;

	const std::lock_guard guard(lock);

	if (!nr) {
		stop_form(true);
		return 0;
	}
	if (const int error = is_running(running))
		return error;
	return running ? 0 : start_ranges(list, nr);
}

} // namespace libprofil
