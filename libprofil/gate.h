// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/gate.h
 * Turn the process's own profile off without a descriptor.
 *
 * On the classical systems, turning profiling off never fails.  But by then a program
 * may have no free descriptor, another root directory, or a seccomp filter.  So the
 * module looks at a word in our memory at every tick (struct profil_gate), and
 * changing that word turns the profile off.
 */
#pragma once

#include <cstdint>
#include <linux/profil.h>

namespace libprofil {

/**
 * A gate for a profile that is about to start.  Async-signal-safe.
 * @return a gate that no running profile uses, with stored set to 0.
 */
[[nodiscard]] profil_gate *next_gate();

/**
 * Record that the profile of this gate has started.
 * @param gate from next_gate().
 * @param value the gate's value before the start.  If it differs now, another thread has
 *        shut the gate, and the profile is off.
 */
void opened(profil_gate *gate, uint32_t value);

/**
 * True if any copy of this library has started a profile with a gate in this process.
 * Always false if the copies do not share a page: then this copy does not know of profiles that
 * other copies have started.
 */
[[nodiscard]] bool was_opened();

/**
 * Turn the profile off, and wait until no counter is written any more.
 *
 * With glibc, a process with a single thread needs no system call; any other process needs
 * membarrier(2).
 * @param stored receives the number of PCs that the profile has stored.
 * @return true if nothing is written any more.  False if membarrier() is missing or
 *         forbidden: a tick that another CPU has begun may still count.
 */
[[nodiscard]] bool shut_gates(uint64_t &stored);

} // namespace libprofil
