// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/limits.h  How much memory the kernel may pin for us. */
#pragma once

#include "profil.h"

#include <cstdint>

namespace cli {

/** Raise RLIMIT_MEMLOCK and RLIMIT_NOFILE as far as we may. */
void raise_limits(uint64_t pinned);

/**
 * Bytes that may be pinned in all: what RLIMIT_MEMLOCK, the module, and good
 * sense (most_pinned) leave, the least of them.
 */
uint64_t pin_limit(const profil_info &info, uint64_t wanted);

/** No recording needs more: finer granularity is not worth it. */
constexpr uint64_t most_pinned = uint64_t{128} << 20;

} // namespace cli
