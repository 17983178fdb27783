// SPDX-License-Identifier: GPL-2.0-or-later
/** @file process.h  What /proc says about a process. */
#pragma once

#include "cli/result.h"

#include <string>
#include <sys/types.h>

namespace cli {

/** Nothing if @p pid can have a user-mode profile; else why not. */
Outcome check_process(pid_t pid);

/** Its short name, "?" if it is gone. */
std::string process_name(pid_t pid);

/** Path of its program; empty if it may not be seen. */
std::string program_path(pid_t pid);

} // namespace cli
