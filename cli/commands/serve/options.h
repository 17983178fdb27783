// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/serve/options.h  Arguments of profil serve. */
#pragma once

#include "cli/http/listen_address.h"
#include "cli/recording/target_options.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** How profiles are served: whatever they are made of. */
struct ServeOptions {
	ListenAddress listen;
	std::vector<std::string> hosts; /**< names that it may be called by, too */
	size_t max_profiles = 4;	/**< at the same time */
};

/**
 * Those options that say where and to whom; the command adds its own, for what
 * is profiled, beside them.
 * @param options outlives @p app.
 */
void add_serve_options(CLI::App &app, ServeOptions &options);

/** Those of the command. @return nothing to go on, or the exit status to end with. */
std::optional<int> parse_serve_options(const std::vector<std::string> &arguments, ServeOptions &serve,
				       TargetOptions &target);

/** Their lines in the text of --help. */
std::string serve_options_help();

} // namespace cli
