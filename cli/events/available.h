// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/available.h  The events that this machine can sample. */
#pragma once

#include "cli/base/result.h"
#include "cli/events/event.h"

namespace cli {

/**
 * Check that this kernel and CPU can count the event at all.  perf checks the permission to count
 * it for a process when the process is attached.
 * @return an error that says why the event cannot be counted, and what to do.
 */
Outcome check_available(const Event &event);

/** All named events that can be sampled here: those of event_names() first, then those of PMUs. */
std::vector<Event> available_events();

/** True if sampling an event needs CAP_PERFMON: all except software events do. */
bool needs_privilege(const Event &event);

} // namespace cli
