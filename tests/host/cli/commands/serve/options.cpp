// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/serve/options.cpp  The command line options of a server of profiles. */
#include "cli/commands/serve/options.h"
#include "cli/options/arguments.h"
#include "tests/support/catch.h"

#include <CLI/CLI.hpp>

using namespace cli;

namespace {

std::optional<int> parse(const std::vector<std::string> &arguments, ServeOptions &options)
{
	CLI::App app("", "profil serve");

	add_serve_options(app, options);
	return parse_arguments(app, arguments, serve_options_help());
}

} // namespace

TEST_CASE("a server listens on this machine alone unless told otherwise", "[cli][serve]")
{
	ServeOptions options;

	CHECK_FALSE(parse({}, options));
	CHECK(options.listen.text() == "127.0.0.1:6060");
	CHECK(options.listen.is_local());
	CHECK(options.max_profiles == 4);
	CHECK(options.hosts.empty());
}

TEST_CASE("a server's options are taken", "[cli][serve]")
{
	ServeOptions options;

	CHECK_FALSE(parse({"--listen", "[::]:80", "--allow-host", "a.example", "--allow-host", "b",
			   "--max-profiles", "64"},
			  options));
	CHECK(options.listen.text() == "[::]:80");
	CHECK(options.hosts == std::vector<std::string>{"a.example", "b"});
	CHECK(options.max_profiles == 64);
}

TEST_CASE("a server's events are taken, and have no rate", "[cli][serve]")
{
	const auto parse_all = [](std::vector<std::string> arguments) {
		TargetOptions target;
		ServeOptions options;
		const std::optional<int> status = parse_serve_options(arguments, options, target);

		return std::pair(status, target.events);
	};
	const auto [status, events] = parse_all({"-e", "page-faults,cs:10", "-p", "1"});

	CHECK_FALSE(status);
	REQUIRE(events.size() == 2);
	CHECK(events[1].name == "cs");
	CHECK(events[1].period == 10);
	CHECK(parse_all({"-e", "cs", "-F", "99", "-p", "1"}).first == 2);
	CHECK(parse_all({"-e", "nonsense", "-p", "1"}).first == 2);
}

TEST_CASE("a server's options that make no sense are wrong usage", "[cli][serve]")
{
	for (const std::vector<std::string> &arguments : {std::vector<std::string>{"--listen", "nowhere"},
							  {"--listen", "host:99999"},
							  {"--listen", "unix:"},
							  {"--allow-host", "a:80"},
							  {"--allow-host", ""},
							  {"--max-profiles", "0"},
							  {"--max-profiles", "65"},
							  {"--max-profiles", "1000"},
							  {"--max-profiles", "1x"}}) {
		ServeOptions options;

		CAPTURE(arguments);
		CHECK(parse(arguments, options) == 2);
	}
}
