// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/arguments.h  Parsing of a subcommand's arguments, by CLI11. */
#pragma once

#include "cli/base/exit.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/**
 * Parse; --help is an option of every subcommand and prints @p help.  Every
 * subcommand does this before anything else: list_options() counts on it.
 * @return nothing to go on, or the exit status to end with.
 */
std::optional<int> parse_arguments(CLI::App &app, std::vector<std::string> arguments,
				   const std::string &help);

/** "profil record: text", and where help is; returns exit_usage. */
int usage_error(const std::string &command, const std::string &text);

/** For CLI11: a number above 0. */
CLI::Validator positive_number();

/** For CLI11: a time above 0, in seconds or as "500ms", "90s", "5m", "2h". */
void add_duration(CLI::App &app, const std::string &option, double &seconds);

/** For CLI11: a whole number above 0, and not too many digits. */
CLI::Validator positive_count();

/** For CLI11: what --color has, as color_when() knows it. */
CLI::Validator color_word();

} // namespace cli
