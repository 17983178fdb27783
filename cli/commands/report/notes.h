// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/notes.h  What a report says in words, above and below its rows. */
#pragma once

#include "cli/commands/report/report.h"
#include "cli/profile/about.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** "FILE: 1,000 samples at 999 Hz in 1.50 s" */
std::string report_title(const Reported &one);

/**
 * What there is to know about the rows, a line each: how much is not shown,
 * and why; what is marked; which sums are not to be believed.
 * @param left_out columns that there was no room for.
 */
std::string report_notes(const Report &report, const Shown &shown, std::span<const std::string> left_out);

} // namespace cli
