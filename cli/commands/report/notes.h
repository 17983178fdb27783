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

/** "FILE: 1,000 samples at 999 Hz in 1.50 s".  If the profile has several events, and is not
 * @p compared, this has the count of each event instead of the samples. */
std::string report_title(const Reported &one, bool compared);

/**
 * Notes about the rows, one per line: the rows that are not shown, with the reason; the
 * meaning of the marks; and sums that have overflowed.
 * @param left_out the headings of columns that did not fit.
 */
std::string report_notes(const Report &report, const Shown &shown, std::span<const std::string> left_out);

} // namespace cli
