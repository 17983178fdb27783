// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/settings.h  The settings of a recording with perf's events. */
#pragma once

#include "cli/recording/recorder.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <vector>

namespace cli {

/** CPU time, or an event, to sample. */
struct PerfSource {
	perf_event_attr attr{}; /**< the event, for perf_event_open(2) */
	uint64_t period = 0;	/**< events, or ns, between two samples */
	bool clock = false;	/**< the source is CPU time */
};

/** CPU time.  @param period in ns. */
inline PerfSource perf_clock(uint64_t period)
{
	PerfSource source = {{}, period, true};

	source.attr.type = PERF_TYPE_SOFTWARE;
	source.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	return source;
}

/** The default size of each CPU's ring: all that perf_event_mlock_kb gives an unprivileged user. */
constexpr uint64_t perf_ring_bytes = uint64_t{512} << 10;

/** The settings of a recording. */
struct PerfSettings {
	std::vector<PerfSource> sources;
	KernelTime kernel = KernelTime::ByFunction; /**< not AtCall */
	bool follow = true;			    /**< also profile forked children */
	bool threads = false;			    /**< attach() gets the IDs of single threads */
	bool per_process = false;
	bool per_thread = false;
	bool per_cgroup = false;
	uint64_t memory = 0; /**< the most bytes for all rings */
};

} // namespace cli
