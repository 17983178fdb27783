// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/event.h  Events to sample instead of CPU time, with perf's names. */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** An event to sample. */
struct Event {
	std::string name;	 /**< as it was given, without its period: "page-faults:u" */
	uint64_t period = 1;	 /**< events between two samples */
	bool has_period = false; /**< the user gave the period; it is not a default */
	perf_event_attr attr{};	 /**< the event, for perf_event_open(2) */
};

/**
 * Parse a list of events as for perf record -e, separated by commas.
 *
 * Each event is a name from event_names(), a cache event ("LLC-load-misses"), a raw event of the
 * CPU ("r1a8"), an event of a PMU ("cpu/event=0x3c,umask=1/", see parse_pmu_terms()) or its name, a
 * tracepoint ("sched:sched_switch") or a breakpoint ("mem:0x601040", "mem:0x601040/4:rw").  Then,
 * perf's modifiers ("u": in user mode, "k": in the kernel, "p", "pp", "ppp": precise) and the
 * period may follow.
 */
Result<std::vector<Event>> parse_events(std::string_view text);

/**
 * The reason why an event is refused.
 * @param error  errno value from PROFIL_RECORD; without the module, from perf_event_open(2)
 * @return the reason, or "" if the error has nothing to do with the event
 */
std::string why_event_is_refused(const perf_event_attr &event, int error);

/** True if hardware counts the event; false if the kernel does. */
bool is_of_hardware(const Event &event);

/** A name for an event, and its alias or "". */
struct EventName {
	std::string_view name;
	std::string_view alias;
	uint32_t type;	 /**< as in perf_event_attr */
	uint64_t config; /**< likewise */
};

/** The names of events that every kernel knows. */
const std::vector<EventName> &event_names();
/** The event with that name or alias, or nullptr. */
const EventName *find_event_name(std::string_view name);

} // namespace cli
