// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/solaris.h"

#include "libprofil/profile.h"

#include <cerrno>

namespace libprofil {

/* The module counts what was stored, so that a fault, a fork or another thread
 * cannot make our count and its own differ. */
int solaris_pcsample(uintptr_t *samples, long nr, long &previous)
{
	uint64_t stored = 0;
	int error;

	if (nr < 0)
		return EINVAL;
	if (nr == 0) {
		error = stop_self(&stored);
	} else if (!samples) {
		return EFAULT;
	} else {
		profil_spec spec = classic_profile();

		spec.samples = samples;
		spec.nr_samples = static_cast<uint64_t>(nr);
		spec.sample_width = sizeof *samples;
		error = start_self(spec, &stored);
	}
	if (!error)
		previous = static_cast<long>(stored);
	return error;
}

} // namespace libprofil
