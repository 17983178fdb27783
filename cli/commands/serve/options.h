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

/** The options for the server; the targets are in TargetOptions. */
struct ServeOptions {
	ListenAddress listen;
	std::vector<std::string> hosts; /**< other host names under which clients may call it */
	size_t max_profiles = 4;	/**< the most profiles at the same time */
};

/**
 * Add the options for the address and the clients; the command adds the options for the targets.
 * @param options must outlive @p app.
 */
void add_serve_options(CLI::App &app, ServeOptions &options);

/** Parse the arguments; returns the exit status if --help or an error ends the command. */
std::optional<int> parse_serve_options(const std::vector<std::string> &arguments, ServeOptions &serve,
				       TargetOptions &target);

/** The lines about the options of add_serve_options() in the text of --help. */
std::string serve_options_help();

} // namespace cli
