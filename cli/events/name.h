// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/events/name.h  Finds the name of an event from its type and configuration. */
#pragma once

#include <cstdint>
#include <string>

namespace cli {

/** Where the kernel shows its tracepoints. */
inline constexpr char tracepoint_root[] = "/sys/kernel/tracing/events";

/**
 * A name for an event that is known only by its type and configuration.
 *
 * @param type    as in perf_event_attr
 * @param config  likewise
 * @param root    tracepoint_root, or a copy of it
 * @return a name that parse_events() knows, or "event TYPE 0xCONFIG"
 */
std::string name_of_event(uint32_t type, uint64_t config, const std::string &root = tracepoint_root);

} // namespace cli
