// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/symbols/later_lines.h
 * Source lines that are looked up only when they are shown.
 *
 * If tens of thousands of places have samples, lines and inlined functions
 * take most of the time for writing a profile and most of the space in its file.
 * So the lines of an object with more than few_places places are left in the object's file,
 * provided that the file can be found again.  The same applies to an object that is large, has
 * hardly any samples, or has its debug information in another file.  The names of functions
 * are stored whenever this command records.
 */
#pragma once

#include "cli/objects/object.h"
#include "cli/profile/profile.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/** The lines that are stored when a profile is written. */
enum class Lines {
	Stored,	    /**< all: for other machines and other tools */
	OfFewPlaces /**< those that leave_for_later() does not leave in the objects' files */
};

/** Looking up the lines of this many places takes a fraction of a second. */
inline constexpr size_t few_places = 4096;

/** In a file of more bytes than this, finding even a few lines takes seconds. */
inline constexpr off_t large_file = 128 << 20;

/** The share of an object in a profile. */
struct Weight {
	size_t places = 0;
	uint64_t samples = 0;
	uint64_t of = 0; /**< samples of all objects */
};

/** True if the lines of the kernel or a module may be found, here or on a debuginfod server. */
bool may_have_kernel_lines(const std::string &filename, const std::string &build_id);

/** True if the lines of this object are left for later. */
bool leave_for_later(const Object &object, const Weight &weight);

/** The reason why the lines of an object stay unknown. */
struct FileNote {
	std::string object; /**< its path, as in the profile */
	std::string text;   /**< a sentence */
};

std::vector<std::string> texts_of(const std::vector<FileNote> &notes);

/**
 * Add the lines that were left for later: locations get inlined functions and
 * lines, and mappings are marked accordingly; nothing else changes.
 * @param root is put before the paths of objects.
 * @return a note for each object whose recorded file is missing or was replaced.
 */
std::vector<FileNote> add_lines(Profile &profile, const std::string &root = "");

/**
 * Add the names of functions that were left for later with the lines: a program that has profiled
 * itself (<profil/cpu.h>) leaves both.  Otherwise as add_lines(), except that the lines can still be
 * added later.
 */
std::vector<FileNote> add_names(Profile &profile, const std::string &root = "");

} // namespace cli
