// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/gate.h
 * The switch of the process's own profile: off without a descriptor.
 *
 * On no classical system can profiling fail to end, and a program may have no free
 * descriptor then, another root directory, or a filter of system calls.  So the
 * module looks at a word in our memory at every tick (struct profil_gate), and to
 * turn the profile off is to change that word.
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
 * The profile of this gate has started.
 * @param value what the gate had before: if it is shut by now, the profile is off.
 */
void opened(profil_gate *gate, uint32_t value);

/** Has any copy of this library ever started a profile in this process, as far as this one knows? */
[[nodiscard]] bool was_opened();

/**
 * Turn the profile off, and wait until no counter is written any more.
 *
 * Needs no system call in a process with a single thread, else membarrier(2).
 * @param stored receives the number of PCs that the profile has stored.
 * @return true if that is certain; false: membarrier() is missing or forbidden, so a
 *         tick that another CPU has begun may still count.
 */
[[nodiscard]] bool shut_gates(uint64_t &stored);

} // namespace libprofil
