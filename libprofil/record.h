// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/record.h  Recordings: profiles of other processes, which count by file. */
#pragma once

#include "libprofil/session.h"

#include <linux/perf_event.h>
#include <linux/profil_record.h>
#include <sys/types.h>

namespace libprofil {

/** The flags for open_proof() that a recording with these flags of PROFIL_RECORD needs. */
[[nodiscard]] constexpr uint32_t proof_flags(uint32_t record)
{
	/* The proof must permit sampling the kernel only if kernel ticks count at a place. */
	const bool places = record & (PROFIL_RECORD_KERNEL | PROFIL_KERNEL_TICKS);

	return (record & PROFIL_THREAD) | (places ? uint32_t{PROFIL_KERNEL_TICKS} : 0U);
}

/**
 * Begin a recording.  Opens the proof that PROFIL_RECORD needs, and closes it again.
 * @param step receives the call that failed, unless NULL.
 * @param event the source of ticks; nullptr: the clock.
 * @return 0, or an errno value.
 */
[[nodiscard]] int record(profil_session &session, pid_t pid, profil_record *record, const char **step,
			 const perf_event_attr *event = nullptr);

} // namespace libprofil
