// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/subset.h  A part of a profile, as a profile of its own. */
#pragma once

#include "cli/profile/profile.h"

#include <cstddef>
#include <span>

namespace cli {

/**
 * The samples with these indices, and the locations, functions and mappings that they use.
 * The only comment kept is the version: the others are about all samples.
 */
Profile subset(const Profile &profile, std::span<const size_t> samples);

} // namespace cli
