// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/serve/address.cpp  The address on which profil serve listens,
 * and the host names for which it answers. */
#include "cli/http/listen_address.h"
#include "cli/http/server_hosts.h"
#include "tests/host/cli/commands/serve/support.h"

#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

using namespace cli;
using namespace serve_test;
using support::run;

TEST_CASE("only requests for the address and localhost are answered, unless --allow-host names others",
	  "[cli][serve]")
{
	ServerSettings settings;

	settings.hosts = {"profiles.example"};

	const Running server(sample, settings);

	for (const char *host :
	     {"localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:80", "Profiles.Example:8080"})
		CHECK(server.status("/healthz", std::string("-H 'Host: ") + host + "'") == "200");
	for (const char *host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
				 "192.0.2.1", "localhost:x", "[::1"})
		CHECK(server.status("/healthz", std::string("-H 'Host: ") + host + "'") == "403");
	CHECK(server.status("/healthz", "-H 'Host:'") == "400");
	CHECK(server.status("/healthz", "-H 'Sec-Fetch-Site: cross-site'") == "403");
	CHECK(server.status("/healthz", "-H 'Sec-Fetch-Site: same-origin'") == "200");
}

TEST_CASE("a server on every address accepts any numeric host, but no name", "[cli][serve]")
{
	ListenAddress everywhere;

	everywhere.host = "0.0.0.0";
	CHECK(is_host_served("192.0.2.1:6060", everywhere, {}));
	CHECK(is_host_served("[2001:db8::1]", everywhere, {}));
	CHECK(is_host_served("localhost", everywhere, {}));
	CHECK_FALSE(is_host_served("evil.example", everywhere, {}));
	CHECK(is_host_served("evil.example", everywhere, {"evil.example"}));
	everywhere.host = "192.0.2.1";
	CHECK(is_host_served("192.0.2.1", everywhere, {}));
	CHECK_FALSE(is_host_served("192.0.2.2", everywhere, {}));
}

TEST_CASE("addresses to listen on are read and written", "[cli][serve]")
{
	for (const char *text : {"127.0.0.1:6060", "[::1]:0", "localhost:80", "unix:/run/profil.sock"})
		CHECK(parse_listen_address(text)->text() == text);
	CHECK(parse_listen_address(":80")->text() == "127.0.0.1:80");
	CHECK(parse_listen_address("80")->text() == "127.0.0.1:80");
	for (const char *text :
	     {"", "host", "host:", "host:70000", "::1:80", "[::1]", "unix:", "[]:80", "a/b:80"}) {
		CAPTURE(text);
		CHECK_FALSE(parse_listen_address(text));
	}
	CHECK(parse_listen_address("127.0.0.2:1")->is_local());
	CHECK_FALSE(parse_listen_address("0.0.0.0:1")->is_local());
	CHECK_FALSE(parse_listen_address("127.example.com:1")->is_local());
	CHECK(parse_listen_address("[::]:1")->is_wildcard());
}

TEST_CASE("an address in use is an error with a next step", "[cli][serve]")
{
	const Running server(sample);
	ServerSettings settings;

	settings.listen.port = static_cast<uint16_t>(server.port());

	const Result<PprofServer> second = PprofServer::listen(settings, sample);

	REQUIRE_FALSE(second);
	CHECK(second.error().text ==
	      fmt::format("127.0.0.1:{}: Address already in use (choose another address "
			  "with --listen)",
			  server.port()));
}

TEST_CASE("a socket in the file system is private to its owner, and a stale one is replaced", "[cli][serve]")
{
	const support::TemporaryDirectory directory;
	const std::string path = directory / "socket";
	ServerSettings settings;
	struct stat status = {};

	settings.listen.unix_path = path;

	const std::string curl = "curl -sS --unix-socket " + path + " http://localhost/healthz";

	/* A socket left by a server that did not end properly. */
	{
		ListenAddress address = settings.listen;

		CHECK(listen_at(address));
	}
	REQUIRE(stat(path.c_str(), &status) == 0);
	{
		const Running server(sample, settings);

		CHECK(run(curl).text == "ok\n");
		REQUIRE(stat(path.c_str(), &status) == 0);
		CHECK((status.st_mode & 0777) == 0600);
		CHECK_FALSE(PprofServer::listen(settings, sample));
		CHECK(run(curl).text == "ok\n");
	}
	CHECK_FALSE(std::filesystem::exists(path));
}
