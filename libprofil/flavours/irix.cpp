// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/irix.h"

#include "libprofil/user_memory.h"

#include <algorithm>
#include <cerrno>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

namespace libprofil {

constexpr int entries_max = 100;

/* The values of <profil/irix.h>; other systems use different ones. */
constexpr unsigned irix_ushort = 1;
constexpr unsigned irix_uint = 2;
constexpr unsigned irix_fast = 4;

/* The entries of sprofil(), and their order by offset. */
struct Entries {
	IrixProf prof[entries_max];
	int by_offset[entries_max];
	int nr;
	uint8_t width;

	[[nodiscard]] Histogram histogram(int index) const
	{
		const IrixProf &entry = prof[index];

		return {address(entry.base), entry.bytes, entry.offset, entry.scale, width};
	}
};

/* True if every PC counts in the first counter. */
static bool is_clock(size_t offset, uint32_t scale)
{
	return offset == 0 && scale == scale_of_clock;
}

static bool is_overflow(const IrixProf &entry)
{
	return is_clock(entry.offset, entry.scale);
}

int irix_profil(const Histogram &histogram)
{
	return start_histogram_or_off(classic_profile(), histogram, Rounding::down);
}

static bool is_mapped(uintptr_t address)
{
	const uintptr_t page = address & -static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
	unsigned char unused;

	return !mincore(reinterpret_cast<void *>(page), 1, &unused);
}

uintptr_t irix_offset(uint32_t offset)
{
	const uintptr_t entry = getauxval(AT_ENTRY);
	const auto distance = static_cast<int32_t>(offset - static_cast<uint32_t>(entry));
	const uintptr_t near = entry + static_cast<uintptr_t>(static_cast<intptr_t>(distance));

	return offset && !is_mapped(offset) && is_mapped(near) ? near : offset;
}

static int check_entries(const Entries &entries)
{
	for (int i = 0; i < entries.nr; i++) {
		if (is_overflow(entries.prof[i]) && i + 1 < entries.nr)
			return EINVAL;
		if (!is_aligned(entries.histogram(i)))
			return EINVAL;
	}
	return 0;
}

static int width_of(unsigned flags, uint8_t &width)
{
	const unsigned counters = flags & (irix_ushort | irix_uint);

	if (flags & ~(irix_ushort | irix_uint | irix_fast))
		return EINVAL;
	if (!counters)
		return EINVAL;
	width = counters & irix_uint ? sizeof(uint32_t) : sizeof(uint16_t);
	return 0;
}

static int read_entries(Entries &entries, const void *profp, int nr, unsigned flags)
{
	if (nr <= 0 || nr > entries_max)
		return E2BIG;
	entries.nr = nr;
	if (const int error =
		    copy_from_caller(entries.prof, profp, static_cast<size_t>(nr) * sizeof(IrixProf)))
		return error;
	if (const int error = width_of(flags, entries.width))
		return error;
	return check_entries(entries);
}

/* Where entries have equal offsets, only the first counts; drop the others. */
static int sort_entries(Entries &entries, int nr)
{
	int *const order = entries.by_offset;
	const auto offset = [&](int index) { return entries.prof[index].offset; };

	for (int i = 0; i < nr; i++)
		order[i] = i;
	std::sort(order, order + nr,
		  [&](int a, int b) { return offset(a) != offset(b) ? offset(a) < offset(b) : a < b; });
	return static_cast<int>(
		std::unique(order, order + nr, [&](int a, int b) { return offset(a) == offset(b); }) - order);
}

/*
 * A region covers the PCs above its own offset, up to and including the next region's offset.
 * The lowest region also covers the PC at its offset, so that a single region counts the same
 * PCs as profil() with the same arguments.
 */
static uint32_t make_regions(const Entries &entries, int nr, profil_region *regions)
{
	uint32_t made = 0;

	for (int i = 0; i < nr; i++) {
		const Histogram histogram = entries.histogram(entries.by_offset[i]);
		profil_region region = region_or_clock(histogram, Rounding::down);

		region.low += !!i;
		if (region.low == region.high)
			continue;
		if (i + 1 < nr)
			region.high = entries.histogram(entries.by_offset[i + 1]).offset;
		if (region.high != UINT64_MAX)
			region.high++;
		if (histogram.scale < scale_of_clock)
			regions[made++] = swallowing(region);
		else if (has_room(histogram))
			regions[made++] = region;
	}
	return made;
}

int irix_sprofil(const void *profp, int nr, void *tvp, unsigned flags, TimeBits bits)
{
	Entries entries;
	profil_region regions[entries_max];
	profil_spec spec = classic_profile();
	bool any = false;

	if (const int error = read_entries(entries, profp, nr, flags))
		return error;
	spec.flags |= PROFIL_FAULT_REGION;
	spec.period = period_of(flags & irix_fast ? fast_hz : classic_hz);
	if (const int error = store_period(tvp, spec.period, bits))
		return error;

	for (int i = 0; i < nr; i++)
		any = any || (entries.prof[i].scale >= scale_of_clock && has_room(entries.histogram(i)));
	if (!any) {
		stop_self(nullptr);
		return 0;
	}

	const IrixProf &last = entries.prof[nr - 1];
	const bool overflows = is_overflow(last);
	if (overflows && last.base && has_room(entries.histogram(nr - 1))) {
		spec.overflow = last.base;
		spec.overflow_width = entries.width;
	}
	const int sorted = sort_entries(entries, nr - overflows);
	spec.nr_regions = make_regions(entries, sorted, regions);
	spec.regions = spec.nr_regions ? regions : nullptr;
	return start_or_off(spec, regions);
}

} // namespace libprofil
