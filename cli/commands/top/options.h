// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/options.h  Arguments of profil top. */
#pragma once

#include "cli/base/color.h"
#include "cli/base/result.h"
#include "cli/recording/target_options.h"
#include "cli/rows/flat.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct TopOptions {
	/**
	 * The most bytes of counters if --max-memory is not given; small, because each
	 * refresh reads all counters.
	 */
	static constexpr uint64_t default_memory = uint64_t{16} << 20;
	static constexpr size_t default_rows = 20; /**< rows per refresh, with --batch */

	TargetOptions target;
	std::optional<std::string> file; /**< a recorded profile, to be shown instead of processes */
	View view;
	std::string order;	/**< the event to sort by, if there are several; empty: the first */
	double delay = 1;	/**< seconds between refreshes */
	double start_delay = 0; /**< seconds at the start that are left out */
	bool batch = false;
	std::optional<uint64_t> iterations; /**< end after this many refreshes */
	size_t rows = default_rows;
	ColorWhen color = ColorWhen::Auto;
};

/** The index of the event to sort by in @p events; the error lists them. */
Result<size_t> find_top_order(const std::string &order, const std::vector<std::string> &events);

/** Parse the arguments; returns the exit status if --help or an error ends the command. */
std::optional<int> parse_top_options(const std::vector<std::string> &arguments, TopOptions &options);

} // namespace cli
