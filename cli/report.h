// SPDX-License-Identifier: GPL-2.0-or-later
/** @file report.h  A flat profile as a table or as JSON. */
#pragma once

#include "cli/about.h"
#include "cli/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** What a row of the report stands for. */
enum class By { Function, Object, Address };

struct Row {
	uint64_t samples = 0;
	std::string function; /**< demangled; "object+0x123" without a name */
	std::string object;   /**< path, "[vdso]", "[unknown]" */
	std::string build_id;
	uint64_t address = 0; /**< By::Address: link-time address */
	std::string file;     /**< By::Address: source, where it is known */
	int64_t line = 0;
};

/** Samples of a profile by what it was asked for, most first. */
struct Flat {
	By by = By::Function;
	uint64_t samples = 0;
	std::vector<Row> rows;
};

Flat flatten(const Profile &profile, By by);

/** How to show it. */
struct ReportStyle {
	std::string file;
	size_t width = 0;	    /**< columns; 0: as many as it takes */
	std::optional<size_t> rows; /**< most of them */
};

std::string report_table(const Profile &profile, const Flat &flat, const ReportStyle &style);
std::string report_json(const Profile &profile, const Flat &flat, const ReportStyle &style);

/** Name of By::Function and so on, as --by and JSON have it. */
const char *by_name(By by);

/** Samples in percent of a total. */
double percent_of(uint64_t samples, uint64_t total);

} // namespace cli
