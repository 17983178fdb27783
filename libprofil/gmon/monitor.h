// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/gmon/monitor.h  monitor() of <mon.h>, for sources that call it instead of profil(). */
#pragma once

#include <cstddef>
#include <cstdint>

namespace libprofil {

/**
 * Begin an execution profile of [low, high) in the caller's 16-bit counters, or,
 * with low 0, end it and write its file.
 * @return 0, or an errno value: EINVAL (high is not above low; no room for a
 *         counter; counters at an odd address), EFAULT, ...
 */
[[nodiscard]] int monitor(uintptr_t low, uintptr_t high, void *counters, size_t bytes);

/**
 * monitor() for a list of AIX's struct prof, which ends with a p_high of 0.  A range
 * with p_scale 0 is left out; any other p_scale is ignored.
 * @return 0, or an errno value: EINVAL (not ascending, no range), EFAULT, ...
 */
[[nodiscard]] int monitor_ranges(const void *list);

} // namespace libprofil
