// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/flat.h  A flat profile: samples by what they have in common. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/rows/filter.h"
#include "cli/rows/sort_key.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/** Does it tell lines, or what is inlined? */
bool shows_lines(const View &view);

/** Is it a number of samples?  Not all tools' profiles have one. */
inline bool is_count(const ValueType &type)
{
	return type.unit == "count";
}

/** What values of a type are: "samples", "nanoseconds".  Not safe to print. */
inline std::string_view unit_of(const ValueType &type)
{
	return is_count(type) ? "samples" : std::string_view(type.unit.empty() ? type.type : type.unit);
}

/** "1,000 samples"; "1,000 bytes" of what is no count.  Not safe to print. */
std::string amount_text(uint64_t samples, const ValueType &type);

/** The type of the values that a report is about: those at samples_index(). */
ValueType samples_type(const Profile &profile);

/** Bytes of names that are whole in the rows of a Flat; those beyond it are cut where they are long. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr size_t row_names_max = size_t{16} << 20;
#else
inline constexpr size_t row_names_max = size_t{1} << 30;
#endif

/** Samples of a profile by what it was asked for, most first. */
struct Flat {
	std::vector<SortKey> keys;
	std::vector<SortKey> columns;	       /**< columns_for() the keys */
	uint64_t samples = 0;		       /**< of the whole profile; percentages are of it */
	uint64_t filtered_out = 0;	       /**< samples that are in no row, for the filters */
	bool saturated = false;		       /**< the samples are more than their sum can hold */
	ValueType type = {"samples", "count"}; /**< of the samples: not a count in all tools' profiles */
	std::vector<Row> rows;

	[[nodiscard]] bool is_count() const { return cli::is_count(type); }
	/** What the samples are; not safe to print. */
	[[nodiscard]] std::string_view unit() const { return unit_of(type); }
};

class Places;
class RowNames;
struct Place;

/** The row of so many samples at a place, with names as far as there is room for them. */
Row row_of(const Places &places, const Place &place, uint64_t samples, RowNames &names);

/** Add up the samples of the leaf locations; sums saturate. */
Flat flatten(const Profile &profile, const View &view);

/** "1,000 samples"; "1,000 bytes" in a profile that has no count.  Not safe to print. */
std::string amount_text(uint64_t samples, const Flat &flat);

/** "300 samples (30.00 %)", ready to be printed. */
std::string share_text(uint64_t samples, uint64_t total, const ValueType &type);
std::string share_text(uint64_t samples, const Flat &flat);

/** Samples in percent of a total. */
double percent_of(uint64_t samples, uint64_t total);

} // namespace cli
