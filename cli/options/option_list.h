// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/option_list.h  Lists a subcommand's options, from CLI11 and the help text. */
#pragma once

#include "cli/options/cli11.h"
#include "cli/options/subcommands.h"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** An option or a positional argument. */
struct ListedOption {
	std::vector<std::string> names; /**< "-p", "--pid"; a positional argument has one name */
	bool positional = false;
	bool takes_value = false;
	std::string value;   /**< the value's name in the help, such as "FILE"; may be empty */
	std::string summary; /**< the first line of its description in the help */

	[[nodiscard]] bool is(std::string_view name) const;
};

/** The arguments of a subcommand. */
struct OptionList {
	std::vector<ListedOption> options;
	bool takes_command = false; /**< takes a command to run after "--" */
	bool runs_command = false;  /**< that command may also begin without "--" */
};

/**
 * List the options of a subcommand.
 *
 * This runs the subcommand, but parse_arguments() fills in the list instead of
 * parsing, and returns an exit status.  No option can be forgotten that way.
 */
OptionList list_options(const Subcommand &subcommand);

/** For parse_arguments(): if list_options() is running, hand it the options of @p app and return true. */
bool give_options(const CLI::App &app);

} // namespace cli
