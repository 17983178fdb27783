// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/gmon/gmon.h
 * The execution profile of a program that was compiled with -pg, or that calls
 * monstartup(3) or monitor(3): counted by the kernel module, written as gmon.out.
 *
 * All threads are sampled, at PROFIL_RATE in the environment (Hz, default 100).
 * Each 32-bit counter stands for four bytes of text, or for a greater power of two, up
 * to 64 KiB, if the limits do not permit so many counters.  Each shared object that is
 * loaded when the profile begins has counters and a file of its own.
 *
 * Thread-safe, but not async-signal-safe.
 */
#pragma once

#include "libprofil/gmon/ranges.h"

#include <cstddef>
#include <cstdint>

namespace libprofil {

/**
 * Begin a new profile: count calls, and ticks in [low, high) and in the other objects.
 * @return 0, or an errno value.  If there is no text between low and high (EINVAL),
 *         the previous profile continues.  After any other error calls are still
 *         counted.
 */
[[nodiscard]] int start_execution_profile(uintptr_t low, uintptr_t high);

/**
 * Begin a new profile: count calls, and ticks in these ranges.
 * @param own in ascending order.
 * @return as for the other overload; after an error the caller's counters are no longer used.
 */
[[nodiscard]] int start_execution_profile(const OwnCounters *own, size_t nr);

/** Resume or pause counting; counts are kept.  @param was receives whether ticks were being counted. */
[[nodiscard]] int switch_execution_profile(bool on, bool &was);

/**
 * End the profile, if there is one, and write its files.
 *
 * gmon.out is for the program, gmon.out.NAME for the shared object NAME if anything
 * was counted in it.  A child of a profiled process writes gmon.out.PID instead of
 * gmon.out, even after it has executed another program.  With GMON_OUT_PREFIX in the
 * environment every process writes PREFIX.PID.
 * Files that cannot be written and calls that were not counted are reported on
 * standard error.
 * @return 0, or the errno value of the first failure.
 */
[[nodiscard]] int finish_execution_profile();

} // namespace libprofil
