// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/limits.h  Limits on the memory that the kernel may pin for us. */
#pragma once

#include "profil.h"

#include <cstdint>

namespace cli {

/** Raise RLIMIT_MEMLOCK to @p pinned bytes, and RLIMIT_NOFILE, as far as is permitted. */
void raise_limits(uint64_t pinned);

/**
 * The bytes that may be pinned in all: the least of @p wanted, RLIMIT_MEMLOCK, and
 * the rest of the module's limit.
 */
uint64_t pin_limit(const profil_info &info, uint64_t wanted);

/** The default for @p wanted: with more memory, tables would only be replaced less often. */
constexpr uint64_t most_pinned = uint64_t{128} << 20;

} // namespace cli
