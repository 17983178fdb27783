// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/build_profile.h  Makes a profile with names from samples by address. */
#pragma once

#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/profile/profile.h"
#include "cli/profile/sample_source.h"
#include "cli/symbols/symbols.h"

#include <span>
#include <string>
#include <vector>

namespace cli {

/** A profile without samples, with the types that all our profiles have and @p period ns between samples. */
Profile empty_profile(uint64_t period);
/**
 * The same for one or more sources.  The type "samples" counts the first source's samples; after
 * it, each source has a type in its own unit.
 */
Profile empty_profile(std::span<const SampleSource> sources);

/** The labels "process" and, if @p owner has them, "cgroup", "pid", "slice"; none for nullptr. */
std::vector<Label> process_labels(const Owner *owner);

/**
 * Build a profile from a tally.  Only objects that have samples, and @p program, are
 * read.
 * @param program the object to list first, even without samples, because pprof
 *        takes the first object for the program; nullptr: none.
 * @param owners the processes or programs in the buckets, for the process_labels() of
 *        samples.
 * @param sources the sources of the samples, by Bucket::source.
 * @param warnings receives a line about each object whose names are missing.
 * @param left receives the paths of objects whose lines are left to add_lines();
 *        nullptr: all lines are stored.
 */
Profile build_profile(const Tally &tally, const Owners &owners, const Object *program,
		      std::span<const SampleSource> sources, std::vector<std::string> &warnings,
		      std::vector<std::string> *left = nullptr);
/** The same with the clock as the only source, ticking every @p period ns. */
Profile build_profile(const Tally &tally, const Owners &owners, const Object *program, uint64_t period,
		      std::vector<std::string> &warnings, std::vector<std::string> *left = nullptr);

} // namespace cli
