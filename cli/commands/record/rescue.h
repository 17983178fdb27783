// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/rescue.h  Saves a profile that cannot be written to its file. */
#pragma once

#include "cli/base/output_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The directories to try, best first: $TMPDIR, /var/tmp, /tmp, $HOME and /dev/shm, each once. */
std::vector<std::string> rescue_directories();

/**
 * Write @p content to a new file that only this user may read, in the first of @p directories
 * where that succeeds.
 * @return the file's path, or the last error.
 */
Result<std::string> rescue(std::string_view content, const std::vector<std::string> &directories);

/**
 * Wait for a line on the terminal.
 * @param signals a descriptor that becomes readable when the user gives up; -1: none.
 * @return true for Enter; false without a terminal, or if the user gives up.
 */
bool enter_pressed(int signals);

} // namespace cli
