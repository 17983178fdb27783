// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/available.h  The events that this machine can sample. */
#pragma once

#include "cli/base/result.h"
#include "cli/events/event.h"

namespace cli {

/**
 * Can this kernel and CPU count the event at all?  Whether it may be counted for a process is
 * checked by perf when the process is attached.
 * @return an error that says why not, and what to do.
 */
Outcome check_available(const Event &event);

/** All events with a name that can be sampled here: event_names() in their order, then those of PMUs. */
std::vector<Event> available_events();

/** Does sampling an event need CAP_PERFMON?  Only software events do not. */
bool needs_privilege(const Event &event);

} // namespace cli
