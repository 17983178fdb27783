// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/name_notes.h  Explains names that do not name the program's functions. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/rows/flat.h"
#include "cli/rows/sort_key.h"

#include <span>
#include <string>
#include <vector>

namespace cli {

/**
 * A line about each kind of such names in the rows, and how to get better ones; none without
 * a column of functions.  Safe to print.
 */
std::vector<std::string> name_notes(const Flat &flat);
/** The same, for the locations of a profile that is shown with @p columns. */
std::vector<std::string> name_notes(const Profile &profile, std::span<const SortKey> columns);

} // namespace cli
