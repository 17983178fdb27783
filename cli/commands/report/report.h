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
	bool rates_differ = false;	  /**< the rates of its files differ */
	std::vector<FileNote> notes = {}; /**< about its objects */
};

/** The way to show a report. */
struct ReportStyle {
	size_t width = 0;			   /**< columns; 0: unlimited */
	std::optional<size_t> rows = std::nullopt; /**< the most rows that are shown */
	double percent_limit = 0; /**< of the samples, or of the event that orders rows: rows below
				     it are not shown; with a base, those with both sides below it */
	bool color = false;
};

/** Everything that a report shows. */
struct Report {
	View view;
	Reported now;
	std::optional<Reported> base;
	std::vector<ComparedRow> compared; /**< with a base */
	std::vector<Ratio> ratios{};	   /**< of events; with a base, of common_events() */
	std::optional<EventOrder> order{}; /**< of the rows; default: most samples first.  With a base it
					      is one of the common_events(), or a ratio of them */
	ReportStyle style;
	EventMatch events{};  /**< with a base */
	std::string led_by{}; /**< the common event whose samples replaced the others, if any */
};

/** The CPU time of a sample in seconds; nothing if it is not known, or differs between files. */
std::optional<double> sample_seconds(const Reported &one);

/** "a.pb.gz", or "a.pb.gz and 3 more". */
std::string files_text(const std::vector<std::string> &files);

/** The common_events() of a report with a base. */
std::vector<CommonEvent> common_events(const Report &report);

std::string report_table(const Report &report);

/** As Documentation/report.schema.json describes it. */
std::string report_json(const Report &report);

/** The rows of a report that are within the limits. */
struct Shown {
	std::vector<size_t> rows; /**< indices in Flat::rows, or Report::compared */
	uint64_t more = 0;	  /**< rows that are not shown */
	uint64_t samples = 0;	  /**< of those rows */
	uint64_t base_samples = 0;
};

Shown shown_rows(const Report &report);

} // namespace cli
