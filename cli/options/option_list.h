// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/option_list.h  The options of a subcommand, as CLI11 and its help know them. */
#pragma once

#include "cli/options/subcommands.h"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** An option, or what stands in its place on the command line. */
struct ListedOption {
	std::vector<std::string> names; /**< "-p", "--pid"; of a positional argument, its one name */
	bool positional = false;
	bool takes_value = false;
	std::string value;   /**< how the help calls its value, such as "FILE"; may be empty */
	std::string summary; /**< the first line of what the help says of it */

	[[nodiscard]] bool is(std::string_view name) const;
};

/** What a subcommand takes. */
struct OptionList {
	std::vector<ListedOption> options;
	bool takes_command = false; /**< behind "--", to be run */
	bool runs_command = false;  /**< that, and what is no option begins it, too */
};

/**
 * Ask a subcommand for its options.
 *
 * It is run, but parse_arguments() fills in the list instead of parsing, and
 * says that there is nothing to do.  So no option can be forgotten.
 */
OptionList list_options(const Subcommand &subcommand);

/** For parse_arguments(): true when options are wanted, which it has got then. */
bool give_options(const CLI::App &app);

} // namespace cli
