// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/comparison.h  Compares two flat profiles. */
#pragma once

#include "cli/rows/event_order.h"
#include "cli/rows/flat.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** Rows are marked if their p-value, corrected for the number of rows, is below this. */
inline constexpr double significant_below = 0.01;

/** A value in both profiles. */
struct ComparedValue {
	uint64_t base = 0; /**< in the older profile */
	uint64_t now = 0;
	double base_percent = 0;
	double percent = 0;
	double p = 1;		/**< from p_value() */
	double p_corrected = 1; /**< from corrected_for_many() */

	[[nodiscard]] double delta() const { return percent - base_percent; }
	[[nodiscard]] bool significant() const { return p_corrected < significant_below; }
};

/** A row with its samples in both profiles. */
struct ComparedRow : ComparedValue {
	Row row; /**< from the newer profile if it has the row; samples are the newer's */
	std::vector<ComparedValue> events; /**< for each of common_events() */
	bool in_base = false;		   /**< has samples of some event in the older profile */
	bool in_now = false;
};

/** An event that both profiles have, if each has several events. */
struct CommonEvent {
	std::string name;
	size_t base = 0; /**< index in the older EventColumns */
	size_t now = 0;

	/** True if it is the first event, to which the samples belong, in both profiles. */
	[[nodiscard]] bool is_first() const { return base == 0 && now == 0; }
};

/** The events of both profiles, in the order of the newer one. */
std::vector<CommonEvent> common_events(const EventColumns &base, const EventColumns &now);

/**
 * Compare each row's share of all samples; the greatest differences come first.
 * The rates and durations of the two profiles may differ.
 *
 * Objects match if they have the same path.  An object whose path is in only one
 * profile matches the object with the same base name in the other, if there is
 * exactly one such object in each.  Likewise, a function whose name is in only one
 * profile matches the function of that name with other parameters, or without any, as
 * perf script may print them.  Source files match by base name.  If the
 * values are neither counts of samples nor of an event (Flat::period), nothing is
 * tested and every p-value is 1.  Each event is tested separately, by its samples,
 * and corrected for the number of rows that have it.
 *
 * The rows refer to the texts of both profiles, which must outlive them.
 */
std::vector<ComparedRow> compare(const Flat &base, const Flat &flat);

/** A ratio of two events in both profiles; nullopt where the denominator is 0. */
struct ComparedRatio {
	std::optional<double> base;
	std::optional<double> now;

	/**
	 * The change as a percentage of the base; nullopt if the base is 0 or either ratio is
	 * missing.
	 */
	[[nodiscard]] std::optional<double> change() const;
};

/** @param ratio has indices of common_events(). */
ComparedRatio compare_ratio(const ComparedRow &row, const Ratio &ratio);

/**
 * Order rows by the absolute difference in one of the common_events(), or by the absolute change
 * of a ratio, greatest first.  Rows whose change is unknown come last.
 */
void order_rows(std::vector<ComparedRow> &rows, const EventOrder &order);

} // namespace cli
