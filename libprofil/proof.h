// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/proof.h  The proof of permission to profile another process. */
#pragma once

#include "libprofil/fd.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <sys/types.h>

namespace libprofil {

/**
 * Open a perf event on a process, which proves to the module that we may profile it.
 *
 * The kernel does all its checks (perf_event_paranoid, CAP_PERFMON, ptrace,
 * security modules) when the event is opened.  The event itself never runs.
 *
 * @param pid the process.
 * @param flags enum profil_flag of the profile: kernel ticks need an event
 *        that does not exclude the kernel.
 * @param proof receives the descriptor.
 * @param event the event that is the source of ticks; nullptr: the clock is.
 * @return 0, or an errno value.
 */
[[nodiscard]] int open_proof(pid_t pid, uint32_t flags, Fd &proof, const perf_event_attr *event = nullptr);

/**
 * Open a perf event on a CPU, which proves that we may profile every process.
 * @param flags as for open_proof().
 * @param proof receives the descriptor.
 * @param event as for open_proof().
 * @return 0, or an errno value.
 */
[[nodiscard]] int open_proof_of_everybody(uint32_t flags, Fd &proof, const perf_event_attr *event = nullptr);

} // namespace libprofil
