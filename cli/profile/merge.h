// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/merge.h  Merges profiles. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <span>

namespace cli {

/**
 * Add profiles up, as pprof does.
 *
 * Two locations are the same if their mappings have the same build-id (or else the
 * same file name), offset and size, and they are at the same place in the mapping; in
 * anonymous memory, if they have the same address.  Functions are identified by their
 * names and files.  A location that has a name in only some profiles gets it in the sum.
 *
 * Sums of values and ticks saturate.  Durations add up; the time is the earliest.  The period is 0
 * unless all profiles have the same period.  Only the types of value that all profiles have are
 * kept.
 *
 * @param profiles must have indices in range; profiles without samples are fine.
 * @return a profile whose indices are in range, or an error if the profiles have
 *         no type of value in common.
 */
Result<Profile> merge(std::span<const Profile> profiles);

/** True if all profiles have the same period. */
bool have_one_period(std::span<const Profile> profiles);

} // namespace cli
