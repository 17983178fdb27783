// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/record.h  Recordings: attached profiles that count by file. */
#pragma once

#include "libprofil/device.h"

#include <linux/perf_event.h>
#include <linux/profil_record.h>
#include <sys/types.h>

namespace libprofil {

/**
 * PROFIL_RECORD.  Opens the proof that the command needs, and closes it again.
 * @param step receives the call that failed, unless NULL.
 * @param event the source of ticks; nullptr: the clock.
 * @return 0, or an errno value.
 */
[[nodiscard]] int record(const Device &device, pid_t pid, profil_record *record, const char **step,
			 const perf_event_attr *event = nullptr);

} // namespace libprofil
