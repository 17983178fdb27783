// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/arguments.h  Parses the arguments of a subcommand with CLI11. */
#pragma once

#include "cli/base/exit.h"
#include "cli/options/cli11.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

/**
 * Parse @p arguments; --help is an option of every subcommand and prints @p help.
 * Every subcommand calls this before anything else: list_options() relies on it.
 * @return the exit status to end with, or nullopt to continue.
 */
std::optional<int> parse_arguments(CLI::App &app, std::vector<std::string> arguments,
				   const std::string &help);

/** The error for an argument that @p app does not know, with a suggestion if there is one. */
std::string unexpected_argument(const CLI::App &app, const std::string &argument);

/** Prints "profil record: text (see profil record --help)"; returns exit_usage. */
int usage_error(const std::string &command, const std::string &text);

/** For CLI11: a number above 0. */
CLI::Validator positive_number();

/** Adds an option for a time above 0, in seconds or as "500ms", "90s", "5m", "2h". */
void add_duration(CLI::App &app, const std::string &option, double &seconds);

/** For CLI11: a whole number above 0 that fits 64 bits. */
CLI::Validator positive_count();

/** For CLI11: a value of --color, as parsed by color_when(). */
CLI::Validator color_word();

} // namespace cli
