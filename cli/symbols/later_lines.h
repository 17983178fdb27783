// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/symbols/later_lines.h
 * Lines and names that are read when somebody wants to see them.
 *
 * Lines, what is inlined, and names take most of the time of writing a profile
 * where tens of thousands of places have samples, and most of the room in its
 * file.  So of an object with that many all lines, and the names of all but the
 * hottest places, are left in its own file, as long as that can be found again;
 * as are the lines of an object that has hardly any samples, or has its debug
 * information in another file.
 */
#pragma once

#include "cli/objects/object.h"
#include "cli/profile/profile.h"

#include <string>
#include <vector>

namespace cli {

/** Which lines and names a profile has from the beginning. */
enum class Lines {
	Stored,	    /**< all: it will be read elsewhere, or by other tools */
	OfFewPlaces /**< but of objects with many places in files that stay where they are */
};

/** Of so many places names and lines are found in a fraction of a second. */
inline constexpr size_t few_places = 4096;

/** What an object has of a profile. */
struct Weight {
	size_t places = 0;
	uint64_t samples = 0;
	uint64_t of = 0; /**< samples of all objects */
};

/** Is this an object whose lines, and the names of rare places, are left for later? */
bool leave_for_later(const Object &object, const Weight &weight);

/**
 * Give a profile the lines that were left for later: locations have what is
 * inlined and the lines, and mappings say so; nothing else is changed.
 * @param root put before the paths of objects.
 * @return a sentence about each object whose file is not the recorded one any more.
 */
std::vector<std::string> add_lines(Profile &profile, const std::string &root = "");

/**
 * Give a profile the names of functions that were left for later, without lines;
 * nothing else is changed.  Parameters and result are add_lines()'s.
 */
std::vector<std::string> add_names(Profile &profile, const std::string &root = "");

} // namespace cli
