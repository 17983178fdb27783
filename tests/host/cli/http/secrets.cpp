// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/http/secrets.cpp  Secrets must not be shown, nor be sent where others can read them.
 */
#include "cli/commands/push/delivery.h"
#include "cli/http/client.h"
#include "cli/http/grpc_web.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/http/receiver.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <fmt/format.h>
#include <fstream>

using namespace cli;
using http_test::Receiver;
using support::has;

namespace {

const HttpRequest request = {"/api", {"Content-Type: application/proto"}, "body"};

HttpClient client_for(HttpSettings settings)
{
	Result<HttpClient> client = HttpClient::create(std::move(settings));

	REQUIRE(client);
	return *std::move(client);
}

} // namespace

TEST_CASE("a server that quotes a secret does not get it into a message", "[cli][push]")
{
	const Receiver server([](const httplib::Request &got, httplib::Response &response) {
		response.status = 403;
		response.set_content(got.get_header_value("Authorization") + " " +
					     got.get_header_value("X-Api-Key"),
				     "text/plain");
	});
	HttpSettings settings;

	settings.url = server.url();
	settings.token = "tok-1234567";
	settings.headers = {"X-Api-Key: tok-1234567-longer"};

	const Delivery delivery = deliver(client_for(settings), PushFormat::Pyroscope, request);

	CHECK(has(delivery.reason, "403 Forbidden: Bearer *** *** ("));
}

TEST_CASE("a secret that gRPC-Web quotes, encoded or not, does not get into a message", "[cli][push]")
{
	HttpSettings settings;

	settings.token = "tok-1234567";
	for (const char *message : {"no%20tok-1234567", "no%20%74ok%2D1234567"}) {
		const Receiver in_headers([message](const httplib::Request &, httplib::Response &response) {
			response.set_header("grpc-status", "16");
			response.set_header("grpc-message", message);
		});
		const Receiver in_trailers([message](const httplib::Request &, httplib::Response &response) {
			std::string frame = grpc_web_frame(
				fmt::format("grpc-message: {}\r\ngrpc-status: 16\r\n", message));

			frame[0] = '\x80';
			response.set_content(frame, grpc_web_type);
		});

		for (const Receiver *server : {&in_headers, &in_trailers}) {
			settings.url = server->url();

			const Delivery delivery = deliver(client_for(settings), PushFormat::Parca, request);

			CAPTURE(message);
			CHECK(delivery.reason ==
			      server->url() +
				      ": 401 Unauthorized: no *** (see --auth-token-file and --user)");
		}
	}
}

TEST_CASE("no proxy is used for this machine", "[cli][push]")
{
	const Receiver proxy(502, "");
	const Receiver server(200, "");
	const support::TemporaryDirectory directory;
	const std::string file = directory / "sample.pb.gz";

	std::ofstream(file, std::ios::binary) << encode_pprof(sample_profile());
	CHECK(support::run("env -u no_proxy -u NO_PROXY http_proxy=" + proxy.url() + " " +
			   support::build_dir() + "/profil push --to " + server.url() + " " + file)
		      .status == 0);
	CHECK(proxy.requests().empty());
	CHECK(server.requests().size() == 1);
}

TEST_CASE("secrets sent to another machine in clear text are noticed", "[cli][push]")
{
	for (const auto &[url, exposed] :
	     {std::pair("http://u:p@example.com", true), std::pair("https://u:p@example.com", false),
	      std::pair("http://u:p@localhost", false), std::pair("http://u:p@[::1]:9", false),
	      std::pair("http://u:p@127.0.0.2", false), std::pair("http://u:p@127.example.com", true),
	      std::pair("http://example.com", false)}) {
		HttpSettings settings;

		settings.url = url;
		CAPTURE(url);
		CHECK(client_for(settings).exposes_secrets() == exposed);
	}
	for (const auto &[header, exposed] :
	     {std::pair("authorization: Basic x", true), std::pair("Cookie: a=b", true),
	      std::pair("X-Auth-Token: x", true), std::pair("X-Api-Key: x", true),
	      std::pair("X-Scope-OrgID: 7", false)}) {
		HttpSettings settings;

		settings.url = "http://example.com";
		settings.headers = {header};
		CAPTURE(header);
		CHECK(client_for(settings).exposes_secrets() == exposed);
	}
}

TEST_CASE("an invalid URL of a server is refused without repeating it", "[cli][push]")
{
	for (const char *url : {"", "http://", "ftp://u:geheim@h/", "file:///etc/passwd",
				"http://h/?q=geheim", "ftp://h/?q=geheim", "ftp://h/#geheim",
				"imap://u:p;geheim@h/", "http://u:geheim@h:999999/", "http://h/#geheim"}) {
		HttpSettings settings;

		settings.url = url;

		const Result<HttpClient> client = HttpClient::create(settings);

		CAPTURE(url);
		REQUIRE_FALSE(client);
		CHECK_FALSE(has(client.error().text, "geheim"));
	}
}
