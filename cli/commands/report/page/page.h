// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/report/page/page.h
 * A report as an HTML page, in a single self-contained file.
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

/** The page with its document, or with one for each event: first shown is that of Report::order. */
std::string report_html(const Report &report, const HtmlOptions &options, const HtmlLimits &limits = {});

} // namespace cli
