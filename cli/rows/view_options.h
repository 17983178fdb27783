// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/view_options.h  --sort, --filter and --full-names, for every subcommand that shows rows. */
#pragma once

#include "cli/options/cli11.h"
#include "cli/rows/flat.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

/** The arguments as given, before they are parsed. */
struct ViewWords {
	std::string sort;
	std::vector<std::string> filters;
	bool full_names = false;
};

/** Add the options.  @param words must outlive the parsing of the arguments. */
void add_view_options(CLI::App &app, ViewWords &words);

/**
 * Parse @p words into @p view; members whose option was not given are unchanged.
 * @param name the subcommand, for messages.
 * @return the exit status to end with, or nullopt to continue.
 */
std::optional<int> understand_view(const std::string &name, const CLI::App &app, const ViewWords &words,
				   View &view);

/** The part of --help for these options. */
std::string view_help();

} // namespace cli
