// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/gmon/names.h  Names and rate from the environment, and messages to the user. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace libprofil {

/**
 * Find out whether this process writes gmon.out itself.  Only the first profiled process
 * does.  It records its PID in the environment, which programs that it
 * executes inherit.  Not async-signal-safe.
 * @return this process's PID if so, else -1.
 */
[[nodiscard]] pid_t first_process();

/**
 * The rate in PROFIL_RATE, limited to the user's maximum.  A bad or limited
 * value is reported on standard error.
 * @return Hz.
 */
[[nodiscard]] uint32_t wanted_rate();

/**
 * Make the path of a file.
 * @param first the result of first_process().
 * @param object name of the shared object, or "" for the program.
 * @param number the object's number among those with this name, from 1.
 * @return 0, or ENAMETOOLONG.
 */
[[nodiscard]] int gmon_path(pid_t first, const char *object, size_t number, char *path, size_t bytes);

/** Print "libprofil: WHAT: WHY" on standard error.  If WHY is nullptr, print the error's text. */
void say(const char *what, const char *why, int error);

} // namespace libprofil
