// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/notes.h  The text of a report above and below its rows. */
#pragma once

#include "cli/commands/report/report.h"
#include "cli/profile/about.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** "FILE: 1,000 samples at 999 Hz in 1.50 s"; or, if the profile has several events and is not
 * @p compared, the count of each event. */
std::string report_title(const Reported &one, bool compared);

/**
 * Notes on the rows, one per line: rows that are not shown, and why; the meaning of the
 * marks; sums that are wrong.
 * @param left_out columns that did not fit.
 */
std::string report_notes(const Report &report, const Shown &shown, std::span<const std::string> left_out);

} // namespace cli
