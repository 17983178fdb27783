// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/serve/options.h  Arguments of profil serve. */
#pragma once

#include "cli/http/listen_address.h"
#include "cli/options/cli11.h"
#include "cli/recording/target_options.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

/** The way to serve profiles; the targets are in TargetOptions. */
struct ServeOptions {
	ListenAddress listen;
	std::vector<std::string> hosts; /**< further host names to answer for */
	size_t max_profiles = 4;	/**< at the same time */
};

/**
 * Add the options for the address and the clients; the command adds those for the targets.
 * @param options outlives @p app.
 */
void add_serve_options(CLI::App &app, ServeOptions &options);

/** Parse the arguments; returns an exit status when there is nothing left to do. */
std::optional<int> parse_serve_options(const std::vector<std::string> &arguments, ServeOptions &serve,
				       TargetOptions &target);

/** The lines of add_serve_options() in the text of --help. */
std::string serve_options_help();

} // namespace cli
