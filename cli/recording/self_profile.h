// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/self_profile.h  Profiles this process, to measure the cost of profiling. */
#pragma once

#include "profil.h"

#include <cstdint>

namespace cli {

/** Profiles all threads of this process while it exists, in one counter. */
class SelfProfile {
public:
	/** @param period ns of CPU time between ticks. */
	explicit SelfProfile(uint64_t period);
	~SelfProfile();
	SelfProfile(const SelfProfile &) = delete;
	SelfProfile &operator=(const SelfProfile &) = delete;

	/** 0, or an errno value that says why there is no profile. */
	[[nodiscard]] int error() const { return error_; }

private:
	uint64_t *counter_ = static_cast<uint64_t *>(profil_counters_alloc(sizeof(uint64_t)));
	int error_ = 0;
};

} // namespace cli
