// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/self_profile.h"

#include <cerrno>

namespace cli {

SelfProfile::SelfProfile(uint64_t period)
{
	profil_spec spec = {};

	spec.size = sizeof(spec);
	spec.period = period;
	spec.overflow = counter_;
	spec.overflow_width = sizeof(*counter_);
	if (!counter_ || profil_self_start(&spec, nullptr))
		error_ = errno;
}

SelfProfile::~SelfProfile()
{
	profil_self_stop(nullptr);
	profil_counters_free(counter_, sizeof(*counter_));
}

} // namespace cli
