// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/rows.h  The rows of profil top: samples grouped as they arrive. */
#pragma once

#include "cli/rows/flat.h"
#include "cli/rows/places.h"
#include "cli/symbols/live_profile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cli {

struct TopRow {
	Place place;
	uint64_t samples = 0; /**< of the whole profile */
	uint64_t fresh = 0;   /**< those of the last refresh */
};

/** What rows are sorted by. */
enum class TopOrder { Samples, Delta, Name, Object };

/** "samples" and so on. */
std::string_view top_order_name(TopOrder order);

/**
 * An incremental flat profile: a refresh costs time for the new samples, not for
 * all of them, as the row of each sample is found only once.
 */
class TopRows {
public:
	/**
	 * @param profile may grow; it outlives this.
	 * @param changes those of the last refresh, which are in @p profile already.
	 */
	TopRows(const Profile &profile, View view, std::span<const Change> changes);
	TopRows(const TopRows &) = delete;
	TopRows &operator=(const TopRows &) = delete;

	/** Count the changes of a refresh. */
	void add(std::span<const Change> changes);

	[[nodiscard]] const View &view() const { return view_; }
	[[nodiscard]] std::span<const SortKey> columns() const { return columns_; }
	/** What samples(), fresh() and filtered_out() count. */
	[[nodiscard]] const ValueType &type() const { return type_; }
	/** In the order in which they were found; rows without samples must not be shown. */
	[[nodiscard]] const std::vector<TopRow> &rows() const { return rows_; }
	/** How many rows have samples. */
	[[nodiscard]] size_t shown() const { return shown_; }
	/** All samples, including those that the filters leave out. */
	[[nodiscard]] uint64_t samples() const { return samples_; }
	[[nodiscard]] uint64_t fresh() const { return fresh_; }
	/** The samples that are in no row. */
	[[nodiscard]] uint64_t filtered_out() const { return filtered_out_; }

	/** The indices of the first rows, at most @p most. */
	[[nodiscard]] std::vector<size_t> first(size_t most, TopOrder order, bool reversed) const;
	/** How many rows with samples precede @p row. */
	[[nodiscard]] size_t before(size_t row, TopOrder order, bool reversed) const;
	/** The names of a row. */
	[[nodiscard]] Row names(size_t row) const;

private:
	static constexpr uint32_t unknown = UINT32_MAX;
	static constexpr uint32_t nowhere = UINT32_MAX - 1;

	uint32_t row_of(size_t sample);
	void count(size_t sample, uint64_t samples, uint64_t fresh);
	[[nodiscard]] int compare_names(const TopRow &a, const TopRow &b) const;
	[[nodiscard]] bool precedes(size_t a, size_t b, TopOrder order) const;

	const Profile &profile_;
	View view_;
	ValueType type_;
	std::vector<SortKey> columns_;
	Places places_;
	SampleFilter filter_;
	std::map<Place, uint32_t> by_place_;
	std::vector<uint32_t> by_sample_;
	std::vector<TopRow> rows_;
	std::vector<uint32_t> fresh_rows_;
	size_t shown_ = 0;
	uint64_t samples_ = 0;
	uint64_t fresh_ = 0;
	uint64_t filtered_out_ = 0;
};

} // namespace cli
