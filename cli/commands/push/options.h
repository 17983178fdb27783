// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/options.h  Arguments of profil push. */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/encode.h"
#include "cli/commands/push/labels.h"
#include "cli/http/settings.h"
#include "cli/options/cli11.h"
#include "cli/profile/profile_file.h"
#include "cli/recording/target_options.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

/** The environment variables that hold the secrets, unless files are given. */
inline constexpr char push_token_variable[] = "PROFIL_PUSH_TOKEN";
inline constexpr char push_password_variable[] = "PROFIL_PUSH_PASSWORD";

/** The server, format and labels for pushed profiles, and the targets to record. */
struct PushOptions {
	std::string url; /**< empty: this machine, at the default port of the format's server */
	PushFormat format = PushFormat::Pyroscope;
	std::vector<PushLabel> labels;
	std::vector<std::string> headers;
	std::string token_file;
	std::string user;
	std::string password_file;
	std::string ca_file;
	double timeout = 30; /**< seconds that a request may take */
	std::string file = default_profile_file;
	std::optional<TargetOptions> target; /**< to record and push, instead of a file */
	double interval = 15;		     /**< seconds per profile, with a target */
};

/**
 * Add the options for the server and the format; the command adds the options for the
 * targets.
 * @param options must outlive @p app.
 */
void add_push_options(CLI::App &app, PushOptions &options);

/** Parse `profil push [options] [FILE]`; returns the exit status if --help or an error ends it. */
std::optional<int> parse_push_options(const std::vector<std::string> &arguments, PushOptions &options);

/** The values of --format. */
std::vector<std::string_view> push_format_names();

/**
 * Make the settings.  This reads the secrets from the files, or else from the environment
 * variables PROFIL_PUSH_TOKEN and PROFIL_PUSH_PASSWORD.  Errors never contain a secret.
 */
Result<HttpSettings> http_settings(const PushOptions &options);

} // namespace cli
