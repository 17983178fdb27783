// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/bsd.h"

#include "libprofil/flavours/partition.h"
#include "libprofil/lock.h"

#include <cerrno>
#include <mutex>

namespace libprofil {

constexpr uint32_t scale_max = 0x10000;
constexpr size_t buffers_max = 100;

/* The buffers of the current profile, guarded by the lock. */
static constinit struct Buffers {
	Lock lock;
	uint64_t generation = 0; /* of the profile they belong to */
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

	const int error = start_self(spec, nullptr);

	if (!error)
		buffers.generation = generation();
	return error;
}

static int check(const Histogram &histogram)
{
	return histogram.scale > scale_max || !is_aligned(histogram) || !is_possible(histogram) ? EINVAL : 0;
}

int bsd_profil(const Histogram &histogram)
{
	const std::lock_guard guard(buffers.lock);

	if (histogram.scale > scale_max)
		return EINVAL;
	buffers.nr = 0;
	if (!histogram.scale || !has_room(histogram))
		return stop_self(nullptr);

	int error = check(histogram);

	if (!error) {
		buffers.region[buffers.nr++] = region_of(histogram, Rounding::down);
		error = start_all();
	}
	if (error) {
		buffers.nr = 0;
		(void)stop_self(nullptr); /* report the first error */
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
	if (const int error = check(histogram))
		return error;
	if (!histogram.scale || !has_room(histogram))
		return 0;
	if (buffers.nr == buffers_max)
		return ENOMEM;
	buffers.region[buffers.nr++] = region_of(histogram, Rounding::down);

	const int error = start_all();

	buffers.nr -= !!error;
	return error;
}

} // namespace libprofil
