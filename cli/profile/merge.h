// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/merge.h  Several profiles as one. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <span>

namespace cli {

/**
 * Add profiles up, as pprof does: places are the same if the build-id, or else
 * the file name, of their mapping is, and the address in it; in memory that is no
 * file's, if the address is; functions by their names and files.  A place that only some profiles have a name
 * for gets it in all.
 *
 * Values and what accounts for ticks saturate; durations add up, and the time is
 * the earliest.  The period is 0 if it is not the same in all.  Values are kept
 * as far as all profiles have their type.
 *
 * @param profiles with indices in range; samples without any make no difference.
 * @return a profile whose indices are in range, too, or an error if the profiles
 *         have no type of value in common.
 */
Result<Profile> merge(std::span<const Profile> profiles);

/** Is the time between samples the same in all of them? */
bool have_one_period(std::span<const Profile> profiles);

} // namespace cli
