// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file gmon_names.h  What the environment says of gmon.out, and what its user is told. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace libprofil {

/**
 * Which process has gmon.out itself: the first, as the environment remembers, for
 * programs that are executed by it.  Not async-signal-safe.
 * @return its PID, if it is this process, or -1.
 */
[[nodiscard]] pid_t first_process();

/**
 * PROFIL_RATE, or as much of it as the user may have; what is wrong with it is
 * said on standard error.
 * @return Hz.
 */
[[nodiscard]] uint32_t wanted_rate();

/**
 * Path of a file.
 * @param first what first_process() gave.
 * @param object name of the shared object, or "".
 * @param number of the object among those of this name, from 1 on.
 * @return 0, or ENAMETOOLONG.
 */
[[nodiscard]] int gmon_path(pid_t first, const char *object, size_t number, char *path, size_t bytes);

/** A line on standard error: "libprofil: WHAT: WHY"; errno's text for a WHY of nullptr. */
void say(const char *what, const char *why, int error);

} // namespace libprofil
