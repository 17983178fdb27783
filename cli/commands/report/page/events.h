// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/events.h  The reports that a page of several events has. */
#pragma once

#include "cli/commands/report/report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** The events that the reader of a page can choose, with a base those of both profiles; none if there are not
 * several. */
std::vector<std::string> events_of_page(const Report &report);

/**
 * A report of one of events_of_page() alone.  The first one is shown by its samples, the others by
 * their numbers, which are tested by the samples that they stand for.
 */
Report report_of_event(const Report &report, size_t event);

} // namespace cli
