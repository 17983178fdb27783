// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/filter.h  Selects the samples of a profile that a report shows. */
#pragma once

#include "cli/base/pattern.h"
#include "cli/profile/profile.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** "function=REGEX", "object!=REGEX", "pid=4711,4712": see view_help(). */
struct Filter {
	enum class Field { Function, Object, File, Process, Pid };

	std::string text; /**< as given by the user */
	Field field = Field::Function;
	bool negated = false;
	std::shared_ptr<const Pattern> pattern; /**< for all fields except Pid */
	std::vector<int64_t> pids;		/**< for Pid */
};

/** Parse a filter.  The error says what is wrong with @p text. */
Result<Filter> parse_filter(const std::string &text);

/** Applies filters to one profile, which may grow; matches each name only once. */
class SampleFilter {
public:
	/** @p profile and @p filters must outlive this. */
	SampleFilter(const Profile &profile, std::span<const Filter> filters);

	/** True if all filters hold for @p sample. */
	bool passes(const Sample &sample);

private:
	/** The results of matching a filter's pattern, by index of the function or mapping. */
	using Verdicts = std::vector<std::optional<bool>>;

	bool holds(size_t index, const Sample &sample);
	bool found_at(size_t index, const Location &location);
	bool found_in(size_t index, size_t at, std::string_view name);

	const Profile &profile_;
	std::span<const Filter> filters_;
	std::vector<Verdicts> verdicts_; /**< one for each filter */
};

} // namespace cli
