// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/push/event_types.h
 * A profile of events in a form that servers can file.
 *
 * Pyroscope and Parca file each type of value separately, and select it by
 * "kind:type:unit:period_type:period_unit", which is also the name of a metric in Prometheus'
 * query language.  So a type must contain neither a colon nor a hyphen: page_faults, cycles_u.
 */
#pragma once

#include "cli/profile/profile.h"

#include <string>
#include <string_view>

namespace cli {

/** An event's name, with _ for everything but letters and digits. */
std::string type_for_servers(std::string_view event);

/**
 * Keep only the values of events, with names from type_for_servers().  The values "samples" are
 * dropped, because they only repeat the first event.
 */
Profile events_for_servers(const Profile &profile);

} // namespace cli
