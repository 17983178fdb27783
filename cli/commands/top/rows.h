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
#include <utility>
#include <vector>

namespace cli {

struct TopRow {
	Place place;
	bool any = false; /**< the row has samples of some event; if not, it must not be shown */
};

/** The samples, or the count of one event, in a row or in the whole profile. */
struct TopAmount {
	uint64_t samples = 0; /**< since the start; for an event, its count */
	uint64_t fresh = 0;   /**< those that the last refresh added */
};

/** The programs whose samples are in a row. */
struct TopCommands {
	std::string_view most; /**< has the most samples; empty: unknown; not safe to print */
	size_t others = 0;     /**< the number of other programs */
};

/** The sort order of rows. */
enum class TopOrder { Samples, Delta, Name, Object };

/** The name of an order, such as "samples". */
std::string_view top_order_name(TopOrder order);

/**
 * An incremental flat profile: a refresh takes time only for the new samples, because
 * the row of each Profile::samples element is looked up only once.
 *
 * In a profile of events, each event has its own amounts.  One event leads: rows are sorted by
 * it, and samples(), fresh() and filtered_out() count it.
 */
class TopRows {
public:
	/**
	 * @param profile may grow; it must outlive this.
	 * @param changes the changes of the last refresh, which @p profile already contains.
	 * @param leading the index of the leading event in types().
	 */
	TopRows(const Profile &profile, View view, std::span<const Change> changes, size_t leading = 0);
	TopRows(const TopRows &) = delete;
	TopRows &operator=(const TopRows &) = delete;

	/** Count the changes of a refresh. */
	void add(std::span<const Change> changes);

	[[nodiscard]] const View &view() const { return view_; }
	[[nodiscard]] std::span<const SortKey> columns() const { return columns_; }
	/** The types of the values that are counted: samples, or each of the events. */
	[[nodiscard]] std::span<const ValueType> types() const { return types_; }
	/** The index in types() of the leading value, and its type. */
	[[nodiscard]] size_t leading() const { return leading_; }
	[[nodiscard]] const ValueType &type() const { return types_[leading_]; }
	/** Make another of types() the leading one. */
	void lead(size_t value) { leading_ = value; }
	/** All rows, in the order in which they were found. */
	[[nodiscard]] const std::vector<TopRow> &rows() const { return rows_; }
	/** The amount of a row in one of types(): by default, the leading one. */
	[[nodiscard]] const TopAmount &amount(size_t row, size_t value) const
	{
		return amounts_[row * types_.size() + value];
	}
	[[nodiscard]] const TopAmount &amount(size_t row) const { return amount(row, leading_); }
	/** The number of rows with samples. */
	[[nodiscard]] size_t shown() const { return shown_; }
	/** The total of one of types(), including the samples that the filters leave out. */
	[[nodiscard]] const TopAmount &total(size_t value) const { return totals_[value]; }
	[[nodiscard]] uint64_t samples() const { return total(leading_).samples; }
	[[nodiscard]] uint64_t fresh() const { return total(leading_).fresh; }
	/** The samples that the filters leave out. */
	[[nodiscard]] uint64_t filtered_out() const { return filtered_out_[leading_]; }

	/** The indices of the first rows in an order, at most @p most. */
	[[nodiscard]] std::vector<size_t> first(size_t most, TopOrder order, bool reversed) const;
	/** The number of rows with samples that precede @p row. */
	[[nodiscard]] size_t before(size_t row, TopOrder order, bool reversed) const;
	/** The names of a row. */
	[[nodiscard]] Row names(size_t row) const;
	/** The programs in each of these rows. */
	[[nodiscard]] std::vector<TopCommands> commands(std::span<const size_t> some) const;
	/** True if the samples come from several programs. */
	[[nodiscard]] bool has_several_commands() const { return several_commands_; }

private:
	static constexpr uint32_t unknown = UINT32_MAX;
	static constexpr uint32_t nowhere = UINT32_MAX - 1;

	/** A program's samples in a row; in a profile of events, the count of the first event. */
	struct Part {
		uint32_t row;
		uint32_t command; /* as numbered by commands_ */
		uint64_t samples = 0;
	};

	uint32_t row_of(size_t sample);
	uint32_t part_of(size_t sample, uint32_t row);
	void count(size_t sample, size_t value, TopAmount more);
	[[nodiscard]] int compare_names(const TopRow &a, const TopRow &b) const;
	[[nodiscard]] bool precedes(size_t a, size_t b, TopOrder order) const;

	const Profile &profile_;
	View view_;
	std::vector<size_t> values_; /* the counted types: indices of Profile::sample_types */
	std::vector<ValueType> types_;
	size_t leading_;
	std::vector<SortKey> columns_;
	Places places_;
	SampleFilter filter_;
	std::map<Place, uint32_t> by_place_;
	std::vector<uint32_t> by_sample_;
	Places commands_;					       /* programs only */
	std::map<std::pair<uint32_t, uint32_t>, uint32_t> by_command_; /* indices of parts_ */
	std::vector<uint32_t> part_by_sample_;
	std::vector<Part> parts_;
	std::optional<uint32_t> known_command_; /* the last one with a name */
	bool several_commands_ = false;
	std::vector<TopRow> rows_;
	std::vector<TopAmount> amounts_;     /* for each row, one for each of types_ */
	std::vector<size_t> fresh_;	     /* indices in amounts_ that the last refresh changed */
	std::vector<TopAmount> totals_;	     /* by type */
	std::vector<uint64_t> filtered_out_; /* likewise */
	size_t shown_ = 0;
};

} // namespace cli
