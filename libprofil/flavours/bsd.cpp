// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/bsd.h"

#include "libprofil/flavours/partition.h"
#include "libprofil/lock.h"

#include <algorithm>
#include <cerrno>
#include <mutex>

namespace libprofil {

constexpr uint32_t scale_max = 0x10000;
constexpr size_t buffers_max = 100;

/*
 * The buffers of the current profile, guarded by the lock.  The first that covers a PC
 * counts it: profil()'s own, then those that were added, the newest first.
 */
static constinit struct Buffers {
	Lock lock;
	uint64_t generation = 0; /* generation() when their profile started */
	size_t nr = 0;
	profil_region region[buffers_max] = {};
} buffers;

static int start_all()
{
	profil_region regions[2 * buffers_max];
	profil_spec spec = classic_profile();
	size_t nr;

	if (const int error =
		    partition(buffers.region, buffers.nr, Winner::first, Extent::clipped, regions, nr))
		return error;
	spec.regions = regions;
	spec.nr_regions = static_cast<uint32_t>(nr);

	const int error = start_regions(spec, regions);

	if (!error)
		buffers.generation = generation();
	return error;
}

static void insert(const profil_region &region)
{
	profil_region *const newest = buffers.region + 1, *const end = buffers.region + buffers.nr;

	std::copy_backward(newest, end, end + 1);
	*newest = region;
	buffers.nr++;
}

static void remove_newest()
{
	std::copy(buffers.region + 2, buffers.region + buffers.nr, buffers.region + 1);
	buffers.nr--;
}

int bsd_profil(const Histogram &histogram)
{
	const std::lock_guard guard(buffers.lock);

	if (histogram.scale > scale_max)
		return EINVAL;
	buffers.nr = 0;
	if (!histogram.scale || !has_room(histogram)) {
		stop_self(nullptr);
		return 0;
	}

	int error = is_aligned(histogram) ? 0 : EINVAL;

	if (!error) {
		buffers.region[buffers.nr++] = region_of(histogram, Rounding::down);
		error = start_all();
	}
	if (error) {
		buffers.nr = 0;
		stop_self(nullptr);
	}
	return error;
}

int bsd_add_profil(const Histogram &histogram)
{
	const std::lock_guard guard(buffers.lock);
	bool running = false;

	if (const int error = is_running(running))
		return error;
	/* A profile started by another flavour is not ours to extend. */
	if (!running || !buffers.nr || buffers.generation != generation())
		return 0;
	if (!is_aligned(histogram))
		return EINVAL;
	if (!histogram.scale || !has_room(histogram))
		return 0;
	if (buffers.nr == buffers_max)
		return ENOMEM;
	insert(region_of(histogram, Rounding::down));

	const int error = start_all();

	if (error)
		remove_newest();
	return error;
}

} // namespace libprofil
