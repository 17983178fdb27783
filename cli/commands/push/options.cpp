// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/options.h"

#include "cli/base/characters.h"
#include "cli/base/files.h"
#include "cli/http/header.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr char name[] = "profil push";
constexpr double longest_timeout = 3600;
constexpr size_t most_secret = 16384;

struct FormatName {
	std::string_view name;
	PushFormat format;
	const char *url; /**< the default address of such a server */
};

constexpr std::array formats = {
	FormatName{"pyroscope", PushFormat::Pyroscope, "http://localhost:4040"},
	FormatName{"pyroscope-ingest", PushFormat::PyroscopeIngest, "http://localhost:4040"},
	FormatName{"parca", PushFormat::Parca, "http://localhost:7070"},
	FormatName{"otlp", PushFormat::Otlp, "http://localhost:4318"},
};

const FormatName *find_format(const std::string &text)
{
	const auto *found = std::find_if(formats.begin(), formats.end(),
					 [&text](const FormatName &one) { return one.name == text; });

	return found == formats.end() ? nullptr : found;
}

const char *default_url(PushFormat format)
{
	return std::find_if(formats.begin(), formats.end(),
			    [format](const FormatName &one) { return one.format == format; })
		->url;
}

/* Read a secret from a file, without the newline that editors append, or else the environment. */
Result<std::string> read_secret(const std::string &file, const char *variable)
{
	if (file.empty()) {
		const char *value = std::getenv(variable);

		return std::string(value ? value : "");
	}

	Result<std::string> secret = read_file(file, most_secret);

	if (!secret)
		return secret.error();
	while (secret->ends_with('\n') || secret->ends_with('\r'))
		secret->pop_back();
	if (secret->empty())
		return Error{file + ": the file contains no secret"};
	return secret;
}

Outcome check_secret(const std::string &secret, const std::string &source)
{
	if (printable(secret) != secret)
		return Error{source + ": a secret must be one line without control characters"};
	return Done();
}

/* A CLI11 validator would repeat the text in its message, and the text may be a secret. */
void add_headers(CLI::App &app, PushOptions &options)
{
	app.add_option_function<std::vector<std::string>>(
		   "--header",
		   [&options](const std::vector<std::string> &headers) {
			   for (const std::string &header : headers) {
				   if (const std::string why = why_no_header(header); !why.empty())
					   throw CLI::ValidationError("--header", why);
			   }
			   options.headers = headers;
		   })
		->allow_extra_args(false);
}

void add_labels(CLI::App &app, PushOptions &options)
{
	app.add_option_function<std::vector<std::string>>("--label", [&options](const std::vector<std::string>
											&texts) {
		   for (const std::string &text : texts) {
			   const Result<PushLabel> label = parse_push_label(text);

			   if (!label)
				   throw CLI::ValidationError("--label", label.error().text);
			   options.labels.push_back(*label);
		   }
	   })->allow_extra_args(false);
}

} // namespace

std::string push_help()
{
	return R"help(Usage: profil push [options] [FILE]
       profil push [options] -p PID[,PID...] | --name REGEX | -- COMMAND ...

Send FILE (default profil.pb.gz) to a continuous-profiling server, once.  FILE
is a profile that 'profil record' wrote, or any other in pprof's format; -:
standard input.  Or profile processes, and send a profile at intervals, until
all of them have ended or Ctrl-C.  A profile that the server cannot accept now
is sent again later, at growing intervals.  If the profiles of more than 60
intervals, or 64 MiB, are waiting, the oldest are dropped.  The others are sent
one by one, with pauses, when the server is back.

      --to URL            the server (default http://localhost:4040, or with
                          --format parca http://localhost:7070, with otlp
                          http://localhost:4318); a path in URL is put before
                          the paths of the server's API
      --format FORMAT     pyroscope (default), pyroscope-ingest, for servers
                          before 1.0 and compatible ones, parca, or otlp, for
                          OpenTelemetry's collector (experimental)
      --label NAME=VALUE  also file the profile under this label; may be
                          repeated.  By default: service_name, the command name
                          of each program; hostname, of this machine; __name__,
                          process_cpu, or events if they were sampled.  The
                          path of a program's cgroup may add unit (of systemd),
                          container_id, and pod (the pod's UID)
      --auth-token-file FILE     send the token in FILE as a Bearer token
      --user NAME                authenticate with a password instead
      --auth-password-file FILE  read the password from FILE
      --header 'NAME: VALUE'     also send this header, such as
                                 'X-Scope-OrgID: 7'; may be repeated
      --ca-file FILE      trust the certificates in FILE instead of the system's
      --timeout SECONDS   how long a request may take (default 30)
      --interval TIME     time between two profiles that are sent (default 15s);
                          the first is sent after 0.5 to 1.5 times TIME, at
                          random, so that machines do not send together
  -h, --help              this text

)help" + target_help() +
	       R"help(
Without these files, the token comes from PROFIL_PUSH_TOKEN in the environment,
and the password from PROFIL_PUSH_PASSWORD.

The exit status is 0 if the server has accepted every profile, 1 if it has not,
2 for wrong usage.

Examples:
  profil push                               to Pyroscope on this machine
  profil push --to https://profiles.example.com --auth-token-file token
  profil push --format parca --label service_name=nginx nginx.pb.gz
  profil push --name '^nginx' --interval 1m --label env=prod
  profil push -a -e page-faults,context-switches
  profil record -p 4711 -d 10 -o - | profil push -
)help";
}

void add_push_options(CLI::App &app, PushOptions &options)
{
	app.add_option("--to", options.url);
	app.add_option_function<std::string>("--format", [&options](const std::string &text) {
		const FormatName *found = find_format(text);

		if (!found)
			throw CLI::ValidationError(
				"--format",
				fmt::format("'{}' is not pyroscope, pyroscope-ingest, parca or otlp", text));
		options.format = found->format;
	});
	add_labels(app, options);
	add_headers(app, options);
	app.add_option("--auth-token-file", options.token_file);
	app.add_option("--user", options.user);
	app.add_option("--auth-password-file", options.password_file);
	app.add_option("--ca-file", options.ca_file);
	app.add_option("--timeout", options.timeout)->check(positive_number());
}

std::optional<int> parse_push_options(const std::vector<std::string> &arguments, PushOptions &options)
{
	CLI::App app("", name);
	TargetOptions target;
	TargetParser targets(name, app, target);

	app.prefix_command(false);
	add_push_options(app, options);
	add_duration(app, "--interval", options.interval);
	app.add_option("file", options.file);
	if (const std::optional<int> status = parse_arguments(app, targets.own(arguments), push_help()))
		return status;
	if (targets.given()) {
		if (app.count("file"))
			return usage_error(name, "give either a file or what to profile, not both");
		if (const std::optional<int> status = targets.finish())
			return status;
		target.per_cgroup = true;
		options.target = target;
	} else if (app.count("--interval") || targets.how_given()) {
		return usage_error(name, "--interval and the options on how to profile need a target: "
					 "give -p PID, or -- COMMAND");
	}
	if (!options.token_file.empty() && !options.user.empty())
		return usage_error(name, "give either --auth-token-file or --user, not both");
	if (!options.password_file.empty() && options.user.empty())
		return usage_error(name, "--auth-password-file needs --user");
	return std::nullopt;
}

std::vector<std::string_view> push_format_names()
{
	std::vector<std::string_view> names;

	for (const FormatName &one : formats)
		names.push_back(one.name);
	return names;
}

Result<HttpSettings> http_settings(const PushOptions &options)
{
	HttpSettings settings;
	const bool by_password = !options.user.empty();
	const char *variable = by_password ? push_password_variable : push_token_variable;
	const std::string &file = by_password ? options.password_file : options.token_file;
	Result<std::string> secret = read_secret(file, variable);

	if (!secret)
		return secret.error();
	if (const Outcome fit = check_secret(*secret, file.empty() ? variable : file); !fit)
		return fit.error();
	settings.url = options.url.empty() ? default_url(options.format) : options.url;
	settings.user = options.user;
	(by_password ? settings.password : settings.token) = *std::move(secret);
	settings.headers = options.headers;
	settings.ca_file = options.ca_file;
	settings.timeout = std::chrono::milliseconds(
		std::llround(std::ceil(std::min(options.timeout, longest_timeout) * 1e3)));
	settings.connect_timeout = std::min(settings.connect_timeout, settings.timeout);
	return settings;
}

} // namespace cli
