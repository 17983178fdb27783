// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debug_link.h  Debug information in a file beside an object. */
#pragma once

#include "cli/objects/object.h"

#include <string>

namespace cli {

/** Does an object say, in .gnu_debuglink, that its debug information is in another file? */
bool has_debug_link(const Object &object);

/**
 * Of an object without debug information: which file should have it, by the
 * object's .gnu_debuglink, but is of another build.
 * @return a sentence that names the file and both build-ids; empty if there is
 *         no such file.
 */
std::string foreign_debug_file(const Object &object);

} // namespace cli
