// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/cpu/pprof.h  A profile as in pprof's profile.proto. */
#pragma once

#include "libprofil/cpu/message.h"
#include "libprofil/cpu/recording.h"

#include <cstdint>

namespace libprofil {

/** When and how a profile was made. */
struct CpuTimes {
	uint64_t begun;	   /**< ns since 1970 */
	uint64_t duration; /**< ns, without pauses */
	uint64_t period;   /**< ns of CPU time between two samples */
};

/**
 * Encode a profile.  The addresses of a file are those of its ELF segments.  Comments account for
 * every tick, in the words that profil(1) reads.
 * @param[out] file receives the contents of the file.
 * @return false without memory.
 */
[[nodiscard]] bool encode_pprof(Message &file, const CpuSamples &samples, const profil_status &account,
				const CpuTimes &times);

} // namespace libprofil
