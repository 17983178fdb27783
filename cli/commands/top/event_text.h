// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/event_text.h  The texts of profil top about events. */
#pragma once

#include "cli/commands/top/rows.h"
#include "cli/profile/event_account.h"
#include "cli/rows/events.h"

#include <span>
#include <string>
#include <vector>

namespace cli {

/**
 * The count of each event, its period if that is not 1, and its losses:
 * "10,000 page-faults, 3,000,000 cycles (1 in 1,000,003; 2 ticks missed)".  Not safe to print.
 * @param accounts the events' accounts; those of some or all events may be missing.
 */
std::string events_text(const TopRows &rows, std::span<const EventAccount> accounts);

/** The order of rows: "samples", "page-faults", "delta of page-faults".  Not safe to print. */
std::string order_text(const TopRows &rows, TopOrder order);

/** Instructions per cycle, if the profile has both events. */
std::vector<Ratio> ratios_in(const TopRows &rows);

} // namespace cli
