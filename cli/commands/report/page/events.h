// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/events.h  The reports in an HTML page with several events. */
#pragma once

#include "cli/commands/report/report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** The events that a user can choose in a page: with a base, those that both profiles have; none if
 * there is only one. */
std::vector<std::string> events_of_page(const Report &report);

/**
 * A report on one of events_of_page() alone.  The first event is shown by its samples, the others
 * by their counts.  The significance of counts is tested with the samples that they come from.
 */
Report report_of_event(const Report &report, size_t event);

} // namespace cli
