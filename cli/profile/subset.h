// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/subset.h  A part of a profile, as a profile of its own. */
#pragma once

#include "cli/profile/profile.h"

#include <cstddef>
#include <span>

namespace cli {

/**
 * A profile of the samples with these indices, and the locations, functions and mappings that they
 * use.  Drops all comments except the version, because they are about all samples.
 */
Profile subset(const Profile &profile, std::span<const size_t> samples);

} // namespace cli
