// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/report/page/page.h
 * A report as an HTML page, in one file that needs no other.
 *
 * The page's own code is in this folder; it shows the one JSON document in the page.
 */
#pragma once

#include "cli/commands/report/page/limits.h"
#include "cli/commands/report/report.h"

#include <string>

namespace cli {

/** The JSON document of a report. */
std::string report_html_data(const Report &report, const HtmlOptions &options, const HtmlLimits &limits = {});

/** The page with its document, or one for each event: that of Report::order is shown first. */
std::string report_html(const Report &report, const HtmlOptions &options, const HtmlLimits &limits = {});

} // namespace cli
