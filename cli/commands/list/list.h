// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/list/list.h  The events that can be sampled, as a table. */
#pragma once

#include "cli/events/event.h"

#include <span>
#include <string>

namespace cli {

/** A row for each event of this machine, followed by the other forms that -e takes. */
std::string list_text(std::span<const Event> events);

} // namespace cli
