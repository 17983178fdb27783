// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/exit.h  Exit statuses of every command. */
#pragma once

namespace cli {

/** Exit statuses; `record -- COMMAND` also passes on the status of COMMAND. */
enum Exit { exit_ok = 0, exit_failure = 1, exit_usage = 2 };

} // namespace cli
