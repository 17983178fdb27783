// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debug_link.h  Debug information in a file that .gnu_debuglink names. */
#pragma once

#include "cli/objects/object.h"

#include <string>

namespace cli {

/** True if the .gnu_debuglink of an object says that its debug information is in another file. */
bool has_debug_link(const Object &object);

/**
 * For an object without debug information: find a file that should have it,
 * according to .gnu_debuglink, but is from another build.
 * @return a sentence that names the file and both build-ids; empty if there is
 *         no such file.
 */
std::string foreign_debug_file(const Object &object);

} // namespace cli
