// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/tru64.h"

#include "kmod/memory/bin.h"
#include "libprofil/user_memory.h"

#include <cerrno>

namespace libprofil {

constexpr size_t ranges_max = 64;

/* PROFIL_FLAGS_ALL_THREADS: all threads are always profiled. */
constexpr unsigned long known_flags = 1;

static profil_spec tru64_profile()
{
	profil_spec spec = classic_profile();

	spec.period = period_of(tru64_hz);
	return spec;
}

int tru64_profil(const Histogram &histogram)
{
	return start_histogram_or_off(tru64_profile(), histogram, Rounding::up);
}

static Tru64Range range_of(const Tru64RangeV5 &range)
{
	return {range.buffer, range.high, range.low, range.low, static_cast<unsigned>(range.scale)};
}

static int read_ranges(Tru64Range *ranges, const void *args, size_t nr, Tru64Layout layout)
{
	Tru64RangeV5 old[ranges_max];

	if (!nr || nr > ranges_max)
		return EINVAL;
	if (layout == Tru64Layout::manual)
		return copy_from_caller(ranges, args, nr * sizeof *ranges);
	if (const int error = copy_from_caller(old, args, nr * sizeof *old))
		return error;
	for (size_t i = 0; i < nr; i++) {
		if (old[i].scale > UINT32_MAX)
			return EINVAL;
		ranges[i] = range_of(old[i]);
	}
	return 0;
}

/* A range lies below the one before it and may touch it; buffers must be aligned. */
static bool in_order(const Tru64Range *ranges, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const uintptr_t low = address(ranges[i].low), high = address(ranges[i].high);

		if (low > high || high == UINTPTR_MAX)
			return false;
		if (i && (low >= address(ranges[i - 1].low) || high > address(ranges[i - 1].low)))
			return false;
		if (address(ranges[i].buffer) % sizeof(uint32_t))
			return false;
	}
	return true;
}

/* Where two ranges touch, the higher one comes first, and counts the PC that they share. */
static uint64_t last_pc(const Tru64Range *ranges, size_t index)
{
	const uint64_t high = address(ranges[index].high);

	return high - (index && high == address(ranges[index - 1].low));
}

/*
 * The last PC of the range determines the number of its counters.  Returns false if the
 * range counts no PC.
 */
static bool make_region(const Tru64Range &range, uint64_t high, profil_region &region)
{
	const uintptr_t low = address(range.low), offset = address(range.offset);

	if (range.scale < scale_of_clock || high < offset)
		return false;
	region = region_or_clock({address(range.buffer), 0, offset, range.scale, sizeof(uint32_t)},
				 Rounding::down);
	region.low = low < offset ? offset : low;
	region.high = high + 1;

	const uint64_t last = profil_bin_index(&region, high);

	if (last >= PROFIL_BIN_BYTES_MAX / sizeof(uint32_t))
		return false;
	region.bytes = (last + 1) * sizeof(uint32_t);
	return true;
}

int tru64_extended(const void *args, size_t nr, unsigned long flags, Tru64Layout layout)
{
	Tru64Range ranges[ranges_max];
	profil_region regions[ranges_max];
	profil_spec spec = tru64_profile();

	if (const int error = read_ranges(ranges, args, nr, layout))
		return error;
	if (flags & ~known_flags || !in_order(ranges, nr))
		return EINVAL;
	spec.flags |= PROFIL_FAULT_REGION;
	for (size_t i = nr; i-- > 0;)
		spec.nr_regions += make_region(ranges[i], last_pc(ranges, i), regions[spec.nr_regions]);
	if (!spec.nr_regions) {
		stop_self(nullptr);
		return 0;
	}
	spec.regions = regions;
	return start_or_off(spec, regions);
}

} // namespace libprofil
