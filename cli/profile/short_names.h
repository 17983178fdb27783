// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/short_names.h  Shortens the names of a profile's functions. */
#pragma once

#include "cli/profile/profile.h"

namespace cli {

/** Write the names of all functions as a view does by default: see ShownNames. */
void shorten_names(Profile &profile);

} // namespace cli
