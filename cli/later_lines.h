// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file later_lines.h
 * Lines that are read when somebody wants to see them.
 *
 * Lines, and what is inlined, take most of the time of writing a profile where
 * tens of thousands of places have samples, and most of the room in its file;
 * the names of functions are enough for most reports.  So the lines of an object
 * with many places are left in its own file, as long as that can be found again.
 */
#pragma once

#include "cli/object.h"
#include "cli/profile.h"

#include <string>
#include <vector>

namespace cli {

/** Which lines a profile has from the beginning. */
enum class Lines {
	Stored,	    /**< all: it will be read elsewhere, or by other tools */
	OfFewPlaces /**< but of objects with many places in files that stay where they are */
};

/** Is this file with so many places one whose lines are left for later? */
bool leave_for_later(const Object &object, size_t places);

/**
 * Give a profile the lines that were left for later: locations have what is
 * inlined and the lines, and mappings say so; nothing else is changed.
 * @param root put before the paths of objects.
 * @return a sentence about each object whose file is not the recorded one any more.
 */
std::vector<std::string> add_lines(Profile &profile, const std::string &root = "");

} // namespace cli
