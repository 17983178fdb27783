// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/aix.h"

#include "libprofil/scratch.h"
#include "libprofil/user_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace libprofil {

constexpr uint32_t scale_mask = 0xffff;
constexpr unsigned computed_scale = UINT32_MAX;

/* As many as the module takes; a longer list has no end that we would find. */
constexpr size_t ranges_max = 32768;

/* The form that was started last; whether it is on is for the module to say. */
static std::atomic<bool> extended_form = false;

static profil_spec aix_profile()
{
	profil_spec spec = classic_profile();

	spec.flags &= ~static_cast<uint32_t>(PROFIL_KERNEL_TICKS);
	spec.limit_policy = PROFIL_SATURATE;
	return spec;
}

/* What keeps a buffer from being pinned is EFAULT there. */
static int error_of(int error)
{
	return error == ENOMEM || error == EDQUOT ? EFAULT : error;
}

static int start_form(const profil_spec &spec, bool extended)
{
	bool running = false;

	if (const int error = is_running(running))
		return error;
	if (running)
		return 0;
	if (const int error = start_self(spec, nullptr))
		return error_of(error);
	extended_form.store(extended, std::memory_order_relaxed);
	return 0;
}

static int stop_form(bool extended)
{
	bool running = false;

	if (const int error = is_running(running))
		return error;
	if (running && extended_form.load(std::memory_order_relaxed) != extended)
		return 0;
	return stop_self(nullptr);
}

int aix_profil(const Histogram &histogram)
{
	Histogram meant = histogram;

	meant.scale &= scale_mask;
	if (meant.scale < scale_of_clock)
		return stop_form(false);
	if (!has_room(meant))
		return 0;
	if (!is_aligned(meant))
		return EINVAL;
	if (!meant.buffer)
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

static uint64_t address(const void *pointer)
{
	return reinterpret_cast<uintptr_t>(pointer);
}

/* Of ranges that overlap the first counts, so this one begins above the one before. */
static int make_region(const AixRange &range, uint64_t above, profil_region &region, bool &made)
{
	const uint64_t low = std::max(address(range.low), above), high = address(range.high);
	const size_t bytes = range.bytes > 0 ? static_cast<size_t>(range.bytes) : 0;

	made = low < high;
	if (!made)
		return 0;

	Histogram histogram = {address(range.buffer), bytes, address(range.low), range.scale & scale_mask,
			       sizeof(uint16_t)};

	if (range.scale == computed_scale)
		histogram.scale = aix_scale(high - address(range.low), bytes) & scale_mask;
	region = region_or_clock(histogram, Rounding::up);
	region.low = low;
	region.high = high;
	if (histogram.scale < scale_of_clock || !has_room(histogram)) {
		region = swallowing(region);
		return 0;
	}
	if (!is_aligned(histogram))
		return EINVAL;
	return histogram.buffer ? 0 : EFAULT;
}

/* The list, up to its end, which is told by its own element. */
static int count_ranges(const AixRange *list, size_t &nr)
{
	AixRange range;

	for (nr = 0; nr < ranges_max; nr++) {
		if (const int error = copy_from_caller(&range, list + nr, sizeof range))
			return error;
		if (!range.high)
			return 0;
	}
	return EINVAL;
}

static int make_regions(const AixRange *list, size_t nr, profil_region *regions, uint32_t &made)
{
	uint64_t above = 0;

	made = 0;
	for (size_t i = 0; i < nr; i++) {
		AixRange range;
		bool is_made;

		if (const int error = copy_from_caller(&range, list + i, sizeof range))
			return error;
		if (address(range.high) <= above)
			return EINVAL;
		if (const int error = make_region(range, above, regions[made], is_made))
			return error;
		made += is_made;
		above = address(range.high);
	}
	return 0;
}

int aix_extended(const void *ranges)
{
	const auto *list = static_cast<const AixRange *>(ranges);
	size_t nr;

	if (const int error = count_ranges(list, nr))
		return error;
	if (!nr)
		return stop_form(true);

	const Scratch<profil_region> regions(nr);
	profil_spec spec = aix_profile();

	if (!regions)
		return EFAULT;
	if (const int error = make_regions(list, nr, regions.get(), spec.nr_regions))
		return error;
	if (!spec.nr_regions)
		return 0;
	spec.regions = regions.get();
	return start_form(spec, true);
}

} // namespace libprofil
