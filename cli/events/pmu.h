// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/pmu.h  Events of a PMU, by the names and terms that sysfs lists for it
 * (sysfs-bus-event_source-devices-events and -format in the kernel's ABI documents). */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** Where the kernel shows its PMUs. */
inline constexpr char pmu_root[] = "/sys/bus/event_source/devices";

/** The event that a PMU's terms choose. */
struct PmuTerms {
	perf_event_attr attr{};		/**< type and configuration */
	std::optional<uint64_t> period; /**< events between two samples, if a term sets it */
	std::string name;		/**< the event's name, if a term sets it; else empty */
};

/**
 * Parse the terms that choose an event of a PMU, as in "cpu/event=0x3c,umask=1/".
 *
 * A term is one of: FIELD=NUMBER, where FIELD is in the PMU's format; FIELD, short for FIELD=1; the
 * name of one of the PMU's events; config=, config1=, config2= or period=NUMBER; name=TEXT.
 *
 * @param pmu the PMU's name: "cpu".
 * @param terms the text between the slashes.
 * @param root pmu_root, or a copy of it.
 */
Result<PmuTerms> parse_pmu_terms(std::string_view pmu, std::string_view terms,
				 const std::string &root = pmu_root);

/** A PMU and one of its events, as in "cpu/mem-loads/". */
struct PmuEvent {
	std::string pmu;
	std::string name;
};

/** The named events of all PMUs, sorted.  @param root as above. */
std::vector<PmuEvent> pmu_events(const std::string &root = pmu_root);

} // namespace cli
