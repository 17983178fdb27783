// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/solaris.h"

#include "libprofil/flavours/classic.h"

#include <algorithm>
#include <cerrno>

namespace libprofil {

/* SHRT_MAX: profiling stops before a counter, read as a short, turns negative. */
constexpr uint64_t solaris_limit = 32767;

int solaris_profil(const Histogram &histogram)
{
	profil_spec spec = classic_profile();

	spec.limit_policy = PROFIL_LIMIT_STOP;
	spec.limit = solaris_limit;
	return start_histogram_or_off(spec, histogram, Rounding::down);
}

static uint64_t used_elements(const uintptr_t *samples, uint64_t nr)
{
	const uint64_t most = used_bytes(address(samples), UINT64_MAX) / sizeof *samples;

	return std::min(nr, most);
}

/*
 * The module keeps the number of PCs stored.  A count of our own could differ from
 * it after a fault, a fork or a call by another thread.
 */
int solaris_pcsample(uintptr_t *samples, long nr, long &previous)
{
	uint64_t stored = 0;
	int error = 0;

	if (nr < 0)
		return EINVAL;
	/* Nothing can be stored at NULL: the first tick would turn sampling off anyway. */
	if (nr == 0 || !samples) {
		stop_self(&stored);
	} else {
		profil_spec spec = classic_profile();

		spec.samples = samples;
		spec.nr_samples = used_elements(samples, static_cast<uint64_t>(nr));
		spec.sample_width = sizeof *samples;
		error = start_unchecked(spec, &stored);
	}
	if (!error)
		previous = static_cast<long>(stored);
	return error;
}

} // namespace libprofil
