// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/build_profile.h  From samples by address to a profile with names. */
#pragma once

#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/profile/profile.h"
#include "cli/symbols/symbols.h"

#include <string>
#include <vector>

namespace cli {

/** What every profile of ours has, without any sample; @p period ns between them. */
Profile empty_profile(uint64_t period);

/** "process" and "pid" of samples; none for NULL, which is nobody in particular. */
std::vector<Label> process_labels(const Owner *owner);

/**
 * Mappings, locations, functions and samples of a tally; only objects that
 * have samples are read.
 * @param program the object that comes first, as pprof takes that for the
 *        program, even without samples; NULL: none.
 * @param owners the processes that buckets name; their samples are labelled
 *        with "process" and "pid".
 * @param period ns that each sample stands for.
 * @param warnings receives a line about each object whose names are missing.
 * @param left receives the paths of objects whose lines, and the names of all but
 *        their hottest places, are left for add_lines() and add_names(); NULL: all
 *        are stored.
 */
Profile build_profile(const Tally &tally, const Owners &owners, const Object *program, uint64_t period,
		      std::vector<std::string> &warnings, std::vector<std::string> *left = nullptr);

} // namespace cli
