// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/root.h  Finds files in the root directory of a process. */
#pragma once

#include "cli/base/fd.h"

#include <string>
#include <sys/types.h>

namespace cli {

/**
 * Find a file by its path in the root directory of a process, which the path cannot leave.
 *
 * Another user's process that is in another user namespace is refused: there, a user can mount an
 * overlay of their FUSE file system, and its server can keep us waiting for ever.
 *
 * @param flags more flags for openat2(2), such as O_DIRECTORY
 * @return a descriptor with O_PATH; an empty one, with errno, if the file cannot be found (EPERM if
 *	the process is refused)
 */
Fd find_in_root(pid_t pid, const std::string &path, int flags = 0);

/** True if a process belongs to the user who runs this one. */
bool is_own(pid_t pid);

} // namespace cli
