// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/counter.h  Read counters. */
#pragma once

#include <profil.h>

namespace libprofil {

/** @see profil_counter_read(). */
[[nodiscard]] uint64_t read_counter(const profil_region &region, size_t index);

/** @see profil_counter_index(). */
[[nodiscard]] int64_t counter_index(const profil_region &region, uint64_t pc);

} // namespace libprofil
