// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/serve/options.h"

#include "cli/http/server_hosts.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr size_t most_at_once = 64;

CLI::Validator host_name()
{
	return CLI::Validator(
		[](const std::string &text) -> std::string {
			/* Names are compared without a port. */
			if (!text.empty() && host_of(text).size() == text.size())
				return "";
			return fmt::format("'{}' is not the name of a host", text);
		},
		"");
}

} // namespace

std::string serve_options_help()
{
	return R"help(      --listen HOST:PORT  address to listen on (default 127.0.0.1:6060); or
                          [ADDRESS]:PORT for IPv6, or unix:PATH.  There is no
                          authentication: anyone who can connect can see what
                          this machine does
      --allow-host NAME   also answer requests for this host name; may be
                          repeated.  By default, only requests for the address
                          itself and for localhost are answered
      --max-profiles N    record for at most N clients at a time (default 4)
)help";
}

void add_serve_options(CLI::App &app, ServeOptions &options)
{
	app.add_option_function<std::string>("--listen", [&options](const std::string &text) {
		const Result<ListenAddress> address = parse_listen_address(text);

		if (!address)
			throw CLI::ValidationError("--listen", address.error().text);
		options.listen = *address;
	});
	app.add_option("--allow-host", options.hosts)->allow_extra_args(false)->check(host_name());
	app.add_option("--max-profiles", options.max_profiles)
		->check(positive_count())
		->check(CLI::Validator(
			[](const std::string &text) -> std::string {
				return text.size() > 2 || std::stoul(text) > most_at_once
					       ? fmt::format("'{}' is more than {}", text, most_at_once)
					       : "";
			},
			""));
}

std::string serve_help()
{
	return R"help(Usage: profil serve [options] -p PID[,PID...] | --name REGEX | -u USER | ...

Answer GET /debug/pprof/profile?seconds=N as a Go program does: with a profile
of the next N seconds in pprof's format.  So 'go tool pprof', Parca, Grafana
Alloy and other scrapers of Go programs can profile any program.  Processes are
attached only while a client waits for a profile.  With several events (-e), the
profile has a sample type for each; the first is the default ('go tool pprof
-sample_index' chooses another).

)help" + target_help(false) +
	       R"help(
Listening:
)help" + serve_options_help() +
	       R"help(  -h, --help              this text

The exit status is 0 after Ctrl-C, 1 if the server cannot start, 2 for wrong
usage.

Examples:
  profil serve --name '^nginx'
  profil serve -a -e page-faults,context-switches
  go tool pprof -top http://127.0.0.1:6060/debug/pprof/profile?seconds=10
)help";
}

std::optional<int> parse_serve_options(const std::vector<std::string> &arguments, ServeOptions &serve,
				       TargetOptions &target)
{
	constexpr char name[] = "profil serve";
	CLI::App app("", name);
	TargetParser targets(name, app, target, false);

	add_serve_options(app, serve);
	if (const std::optional<int> status = parse_arguments(app, targets.own(arguments), serve_help()))
		return status;
	return targets.finish();
}

} // namespace cli
