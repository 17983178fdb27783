// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/report.h  A flat profile as a table or as JSON. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/rows/comparison.h"
#include "cli/rows/event_match.h"
#include "cli/rows/event_order.h"
#include "cli/rows/flat.h"
#include "cli/symbols/later_lines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** A profile, and the rows in which a report shows it. */
struct Reported {
	std::vector<std::string> files; /**< the files from which the profile was read */
	Profile profile;
	Flat flat;
	bool rates_differ = false;	  /**< its files have different rates */
	std::vector<FileNote> notes = {}; /**< notes about its objects */
};

/** The way to show a report. */
struct ReportStyle {
	size_t width = 0;			   /**< columns; 0: unlimited */
	std::optional<size_t> rows = std::nullopt; /**< the most rows that are shown */
	double percent_limit = 0; /**< share of the samples, or of the event that orders rows: rows
				     below it are hidden; with a base, if both shares are */
	bool color = false;
};

/** Everything that a report shows. */
struct Report {
	View view;
	Reported now;
	std::optional<Reported> base;
	std::vector<ComparedRow> compared; /**< the rows, if there is a base */
	std::vector<Ratio> ratios{};	   /**< ratios of events; with a base, of common_events() */
	std::optional<EventOrder> order{}; /**< default: most samples first.  With a base, one of
					      the common_events(), or a ratio of them */
	ReportStyle style;
	EventMatch events{};  /**< only with a base */
	std::string led_by{}; /**< the common event whose samples replaced the others, if any */
};

/** The CPU time of a sample in seconds; nullopt if it is unknown, or differs between files. */
std::optional<double> sample_seconds(const Reported &one);

/** "a.pb.gz", or "a.pb.gz and 3 more". */
std::string files_text(const std::vector<std::string> &files);

/** The common_events() of a report with a base. */
std::vector<CommonEvent> common_events(const Report &report);

std::string report_table(const Report &report);

/** The report as JSON, as Documentation/report.schema.json describes it. */
std::string report_json(const Report &report);

/** The rows of a report that are within the limits. */
struct Shown {
	std::vector<size_t> rows; /**< indices in Flat::rows, or Report::compared */
	uint64_t more = 0;	  /**< the number of rows that are not shown */
	uint64_t samples = 0;	  /**< the samples of the rows that are not shown */
	uint64_t base_samples = 0;
};

Shown shown_rows(const Report &report);

} // namespace cli
