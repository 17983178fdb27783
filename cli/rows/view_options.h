// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/view_options.h  --sort and --filter: options of every subcommand that shows rows. */
#pragma once

#include "cli/rows/flat.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** Arguments as they are given, before they mean anything. */
struct ViewWords {
	std::string sort;
	std::vector<std::string> filters;
};

/** @param words outlives the parsing. */
void add_view_options(CLI::App &app, ViewWords &words);

/**
 * What they mean, in @p view; what was not given stays as it is.
 * @param name of the subcommand, for messages.
 * @return nothing to go on, or the exit status to end with.
 */
std::optional<int> understand_view(const std::string &name, const CLI::App &app, const ViewWords &words,
				   View &view);

/** Their part of --help. */
std::string view_help();

} // namespace cli
