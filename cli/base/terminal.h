// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/terminal.h  The terminal: its width, and what terminfo(5) knows of it. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <string>

namespace cli {

/** Are standard input and output a terminal that can be drawn on?  The error says why not, and what to do. */
Outcome check_terminal();

/**
 * What makes a usual screen of it again: plain characters, the cursor, keys, the
 * other screen.  After check_terminal() only.
 */
std::string leaving_sequences();

/** Columns of the terminal behind a descriptor; 0 if there is none. */
size_t terminal_width(int fd);

} // namespace cli
