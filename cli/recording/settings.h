// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/settings.h  The settings of a recording by the module. */
#pragma once

#include "cli/recording/recorder.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <optional>

namespace cli {

/** The settings of a recording by the module. */
struct RecorderSettings {
	uint64_t period = 0; /**< ns, or events, between samples */
	KernelTime kernel = KernelTime::ByFunction;
	bool follow = true;		      /**< also record forked children */
	bool threads = false;		      /**< targets are single threads */
	bool per_process = false;	      /**< distinguish a program's processes */
	uint64_t memory = 0;		      /**< the most bytes to pin */
	bool per_thread = false;	      /**< also add up the samples of each thread */
	bool per_cgroup = false;	      /**< distinguish processes by cgroup, if possible */
	std::optional<perf_event_attr> event; /**< the event that ticks instead of the clock */
};

/** The reason why a target was not attached. */
struct AttachError {
	int error = 0;		    /**< errno value; 0: it was attached */
	const char *step = nullptr; /**< as in struct profil_target */
};

} // namespace cli
