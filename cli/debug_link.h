// SPDX-License-Identifier: GPL-2.0-or-later
/** @file debug_link.h  Why the debug information beside an object is not used. */
#pragma once

#include "cli/object.h"

#include <string>

namespace cli {

/**
 * Of an object without debug information: which file should have it, by the
 * object's .gnu_debuglink, but is of another build.
 * @return a sentence that names the file and both build-ids; empty if there is
 *         no such file.
 */
std::string foreign_debug_file(const Object &object);

} // namespace cli
