// SPDX-License-Identifier: GPL-2.0-or-later
/** @file flat.h  A flat profile: samples by what they have in common. */
#pragma once

#include "cli/filter.h"
#include "cli/profile.h"
#include "cli/sort_key.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** Members are set as far as Flat::columns has them. */
struct Row {
	uint64_t samples = 0;
	std::string function;	 /**< demangled; "object+0x123" without a name */
	std::string inlined;	 /**< the innermost function; of Row::function if nothing is inlined */
	bool is_inlined = false; /**< Row::inlined was inlined into another function */
	std::string object;	 /**< path, "[vdso]", "[unknown]" */
	std::string build_id;
	uint64_t address = 0; /**< link-time address */
	std::string file;     /**< source, of a line or an address, where it is known */
	int64_t line = 0;
	std::string command; /**< of a process; empty: not known */
	std::optional<int64_t> pid;
};

/** What a report is about. */
struct View {
	std::vector<SortKey> keys = {SortKey::Function};
	std::vector<Filter> filters;
};

/** Samples of a profile by what it was asked for, most first. */
struct Flat {
	std::vector<SortKey> keys;
	std::vector<SortKey> columns; /**< columns_for() the keys */
	uint64_t samples = 0;	      /**< of the whole profile; percentages are of it */
	uint64_t filtered_out = 0;    /**< samples that are in no row, for the filters */
	bool saturated = false;	      /**< the samples are more than their sum can hold */
	std::vector<Row> rows;
};

/** Add up the samples of the leaf locations; sums saturate. */
Flat flatten(const Profile &profile, const View &view);

/** Samples in percent of a total. */
double percent_of(uint64_t samples, uint64_t total);

} // namespace cli
