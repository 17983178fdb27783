// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/options.h  Arguments of profil report. */
#pragma once

#include "cli/base/color.h"
#include "cli/commands/report/page/page.h"
#include "cli/commands/report/report.h"
#include "cli/profile/time_range.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

struct ReportOptions {
	std::vector<std::string> files;	 /**< the files to add up */
	std::optional<std::string> base; /**< the file to compare with */
	View view;
	std::optional<size_t> rows;
	double percent_limit = 0;
	bool json = false;
	std::optional<std::string> html; /**< the file for the page */
	HtmlOptions page;
	TimeRange time;
	std::string value;		 /**< the type of the values to show; empty: the default */
	std::vector<std::string> ratios; /**< "cache-misses/instructions" */
	std::string order;		 /**< the event or ratio to order rows by; empty: the samples */
	ColorWhen color = ColorWhen::Auto;
};

/** Parse the arguments; returns the exit status if --help or an error ends the command. */
std::optional<int> parse_report_options(const std::vector<std::string> &arguments, ReportOptions &options);

} // namespace cli
