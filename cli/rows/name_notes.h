// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/name_notes.h  Explains names that are not those of functions. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/rows/flat.h"
#include "cli/rows/sort_key.h"

#include <span>
#include <string>
#include <vector>

namespace cli {

/**
 * A line about each kind of such names that rows have, and how to get better ones; none without
 * a column of functions.  Safe to print.
 */
std::vector<std::string> name_notes(const Flat &flat);
/** The same, for the places of a profile that is shown with @p columns. */
std::vector<std::string> name_notes(const Profile &profile, std::span<const SortKey> columns);

} // namespace cli
