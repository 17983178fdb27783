// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/flat.h  The flat profile: samples grouped into rows. */
#pragma once

#include "cli/base/text_store.h"
#include "cli/names/shown_names.h"
#include "cli/profile/profile.h"
#include "cli/rows/events.h"
#include "cli/rows/filter.h"
#include "cli/rows/sort_key.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** A row of a flat profile.  Only the members for Flat::columns are set; texts are in Flat::texts. */
struct Row {
	uint64_t samples = 0;
	std::string_view function; /**< demangled; "object+0x123" without a name */
	std::string_view
		inlined; /**< the innermost function; the same as Row::function if nothing is inlined */
	std::string_view object; /**< path, "[vdso]", "[unknown]" */
	std::string_view build_id;
	uint64_t address = 0;  /**< link-time address */
	std::string_view file; /**< source file of a line or an address, if known */
	int64_t line = 0;
	std::string_view command; /**< name of the process; empty: unknown */
	std::optional<int64_t> pid;
	std::span<const uint64_t> events; /**< the row's value for each of Flat::events */
	bool is_inlined = false;	  /**< Row::inlined was inlined into another function */
};

/** The samples that a report shows, and how it groups and names them. */
struct View {
	std::vector<SortKey> keys = {SortKey::Function};
	std::vector<Filter> filters;
	NameLength names = NameLength::Short;
};

/** True if the view needs lines or inlined functions. */
bool shows_lines(const View &view);

/**
 * True if @p type is a number of samples.  Profiles of other tools may have none, or count
 * something else: objects, cycles.
 */
inline bool is_count(const ValueType &type)
{
	return type.unit == "count" && (type.type.empty() || type.type.find("sample") != type.type.npos);
}

/**
 * The unit of values of a type: "samples", "nanoseconds", "alloc_objects".  Not safe to print: in
 * profiles of other tools, it may contain control characters.
 */
inline std::string_view unit_of(const ValueType &type)
{
	if (is_count(type))
		return "samples";
	return type.unit.empty() || type.unit == "count" ? type.type : type.unit;
}

/** "1,000 samples", or for example "1,000 bytes" if @p type is not a count.  Not safe to print. */
std::string amount_text(uint64_t samples, const ValueType &type);

/** The type of the values that a report shows: those at samples_index(). */
ValueType samples_type(const Profile &profile);

/** Limit on the bytes of names in the rows of a Flat; beyond it, long names are cut. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr size_t row_names_max = size_t{16} << 20;
#else
inline constexpr size_t row_names_max = size_t{1} << 30;
#endif

/** A flat profile; the rows with the most samples come first. */
struct Flat {
	std::vector<SortKey> keys;
	std::vector<SortKey> columns;	       /**< columns_for() the keys */
	uint64_t samples = 0;		       /**< samples of the whole profile: 100 % */
	uint64_t filtered_out = 0;	       /**< samples that the filters left out */
	bool saturated = false;		       /**< the sum of the samples has saturated */
	ValueType type = {"samples", "count"}; /**< not always a count in profiles of other tools */
	std::vector<Row> rows;
	std::shared_ptr<const TextStore> texts; /**< owns the rows' texts */
	EventColumns events;			/**< the events, if there are several */
	uint64_t period = 0;			/**< with events: occurrences per sample */

	[[nodiscard]] bool is_count() const { return cli::is_count(type); }
	/** The unit of the samples; not safe to print. */
	[[nodiscard]] std::string_view unit() const { return unit_of(type); }
};

class Places;
class RowNames;
struct Place;

/** The row for @p samples at a place; @p names limits the size of its names. */
Row row_of(const Places &places, const Place &place, uint64_t samples, RowNames &names);

/** Add up the samples of the leaf locations; sums saturate. */
Flat flatten(const Profile &profile, const View &view);

/** "1,000 samples", or for example "1,000 bytes" if the profile has no count.  Not safe to print. */
std::string amount_text(uint64_t samples, const Flat &flat);
/** The amount_text() of the whole profile; with several events, the count of each. */
std::string total_text(const Flat &flat);

/** "300 samples (30.00 %)", safe to print. */
std::string share_text(uint64_t samples, uint64_t total, const ValueType &type);
std::string share_text(uint64_t samples, const Flat &flat);

/** @p samples as a percentage of @p total. */
double percent_of(uint64_t samples, uint64_t total);

} // namespace cli
