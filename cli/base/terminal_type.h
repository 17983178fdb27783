// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/terminal_type.h  What terminfo(5) knows of the terminal. */
#pragma once

#include "cli/base/result.h"

#include <string>

namespace cli {

/** Are standard input and output a terminal that can be drawn on?  The error says why not, and what to do. */
Outcome check_terminal();

/**
 * What makes a usual screen of it again: plain characters, the cursor, keys, the
 * other screen.  After check_terminal() only.
 */
std::string leaving_sequences();

} // namespace cli
