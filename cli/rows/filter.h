// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/filter.h  Which samples of a profile a report is about. */
#pragma once

#include "cli/base/pattern.h"
#include "cli/profile/profile.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** "function=REGEX", "object!=REGEX", "pid=4711,4712": see report_help(). */
struct Filter {
	enum class Field { Function, Object, File, Process, Pid };

	std::string text; /**< as it was given */
	Field field = Field::Function;
	bool negated = false;
	std::shared_ptr<const Pattern> pattern; /**< of all fields but Pid */
	std::vector<int64_t> pids;		/**< of Pid */
};

/** The error says what is wrong with @p text. */
Result<Filter> parse_filter(const std::string &text);

/** Filters at work on one profile, which may grow: each of its names is looked at once. */
class SampleFilter {
public:
	/** Both must outlive it. */
	SampleFilter(const Profile &profile, std::span<const Filter> filters);

	/** Do all filters hold for it? */
	bool passes(const Sample &sample);

private:
	/** What came of a filter's pattern, by index of the function or mapping. */
	using Verdicts = std::vector<std::optional<bool>>;

	bool holds(size_t index, const Sample &sample);
	bool found_at(size_t index, const Location &location);
	bool found_in(size_t index, size_t at, std::string_view name);

	const Profile &profile_;
	std::span<const Filter> filters_;
	std::vector<Verdicts> verdicts_; /**< one for each filter */
};

} // namespace cli
