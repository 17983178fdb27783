// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/terminal.h  The terminal's width and its terminfo(5) capabilities. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <string>

namespace cli {

/** Check that standard input and output are a terminal that can be drawn on; the error says why not. */
Outcome check_terminal();

/**
 * The sequences that restore a terminal: plain characters, visible cursor,
 * normal keypad, main screen.  Call check_terminal() first.
 */
std::string leaving_sequences();

/** Columns of the terminal @p fd; 0 if it is not a terminal. */
size_t terminal_width(int fd);

} // namespace cli
