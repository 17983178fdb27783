// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/self_profile.h  A profile of this process, to see what profiling takes. */
#pragma once

#include "profil.h"

#include <cstdint>

namespace cli {

/** Counts in all threads of this process while it lives, in one counter. */
class SelfProfile {
public:
	/** @param period ns of CPU time between ticks. */
	explicit SelfProfile(uint64_t period);
	~SelfProfile();
	SelfProfile(const SelfProfile &) = delete;
	SelfProfile &operator=(const SelfProfile &) = delete;

	/** 0, or why there is no profile: an errno value. */
	[[nodiscard]] int error() const { return error_; }

private:
	uint64_t *counter_ = static_cast<uint64_t *>(profil_counters_alloc(sizeof(uint64_t)));
	int error_ = 0;
};

} // namespace cli
