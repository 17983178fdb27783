// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file gmon.h
 * The execution profile of a program that was compiled with -pg, or calls
 * monstartup(3) or monitor(3): counted by the kernel module, written as gmon.out.
 *
 * Ticks come from all threads, at PROFIL_RATE of the environment (Hz, default
 * 100), and are counted in 32 bits for each four bytes of text; if there may not
 * be so many counters, for eight, sixteen, up to 64 KiB.  Each shared object that is
 * loaded when the profile begins has counters, and a file of its own.
 *
 * Threads may call at the same time; signal handlers may not.
 */
#pragma once

#include "libprofil/gmon_ranges.h"

#include <cstddef>
#include <cstdint>

namespace libprofil {

/**
 * Begin anew: count the ticks of [low, high), and of the other shared objects, and calls.
 * @return 0, or an errno value.  EINVAL: there is no text between low and high, and
 *         the profile before goes on, as it does when it cannot be stopped; else
 *         calls are counted in any case.
 */
[[nodiscard]] int start_execution_profile(uintptr_t low, uintptr_t high);

/**
 * Begin anew: count the ticks of these ranges, and calls.
 * @param own in ascending order.
 * @return as above; after an error the counters are not looked at any more.
 */
[[nodiscard]] int start_execution_profile(const OwnCounters *own, size_t nr);

/** Count, or do not count: what was counted stays.  @param was receives whether ticks were counted. */
[[nodiscard]] int switch_execution_profile(bool on, bool &was);

/**
 * End it and write its files: nothing if there is none.
 *
 * gmon.out is of the program, gmon.out.NAME of the shared object NAME, if
 * anything was counted in it.  A process that another profiled one has made by
 * fork, or is executed by it, has gmon.out.PID instead of gmon.out; with
 * GMON_OUT_PREFIX in the environment each has PREFIX.PID.
 * What cannot be written, and what was not counted, is said on standard error.
 * @return 0, or the errno value of the first thing that went wrong.
 */
[[nodiscard]] int finish_execution_profile();

} // namespace libprofil
