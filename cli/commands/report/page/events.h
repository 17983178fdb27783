// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/events.h  The reports in an HTML page with several events. */
#pragma once

#include "cli/commands/report/report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** The events that a user can choose in a page; with a base, the events that both profiles have.
 * Empty if there is only one event. */
std::vector<std::string> events_of_page(const Report &report);

/**
 * A report on only one of events_of_page().  It shows the samples of the first event, or the counts
 * of another event.  The significance of a count is tested with the samples that the count is from.
 */
Report report_of_event(const Report &report, size_t event);

} // namespace cli
