// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/http/client.cpp  POSTs to real servers: how they are sent, and how the
 * answers are judged. */
#include "cli/http/client.h"
#include "cli/commands/push/delivery.h"
#include "cli/http/grpc_web.h"
#include "cli/http/header.h"
#include "tests/host/cli/http/receiver.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <csignal>

using namespace cli;
using namespace std::chrono_literals;
using http_test::RawServer;
using http_test::Receiver;
using support::has;

namespace {

const HttpRequest request = {"/api?a=b", {"Content-Type: application/proto"}, std::string("\0body\xff", 6)};

HttpClient client_for(HttpSettings settings)
{
	Result<HttpClient> client = HttpClient::create(std::move(settings));

	REQUIRE(client);
	return *std::move(client);
}

Delivery delivery_to(const std::string &url, std::chrono::milliseconds timeout = 5s)
{
	HttpSettings settings;

	settings.url = url;
	settings.timeout = timeout;
	return deliver(client_for(settings), PushFormat::Pyroscope, request);
}

Delivery delivery_of_status(int status, const std::string &body)
{
	const Receiver server(status, body);
	Delivery delivery = delivery_to(server.url());

	if (delivery.reason.starts_with(server.url() + ": "))
		delivery.reason.erase(0, server.url().size() + 2);
	return delivery;
}

} // namespace

TEST_CASE("an address that is not a URL is named in the error, unless it may contain a secret", "[cli][push]")
{
	const auto error_of = [](const std::string &url) {
		HttpSettings settings;

		settings.url = url;
		const Result<HttpClient> client = HttpClient::create(std::move(settings));

		REQUIRE_FALSE(client);
		return client.error().text;
	};

	CHECK(error_of("foo") == "'foo' is not a URL (give one like http://localhost:4040)");
	for (const char *url : {"me:secret@", "foo?token=secret", "foo#secret"})
		CHECK(error_of(url) ==
		      "the address of the server is not a URL (give one like http://localhost:4040)");
}

TEST_CASE("a POST arrives with its path, headers and bytes", "[cli][push]")
{
	const Receiver server(200, "fine");
	HttpSettings settings;

	settings.url = server.url() + "/prefix/";
	settings.token = "geheim";
	settings.headers = {"X-Scope-OrgID: 7"};

	const Result<HttpResponse> response = client_for(settings).post(request);

	REQUIRE(response);
	CHECK(response->status == 200);
	CHECK(response->body == "fine");
	REQUIRE(server.requests().size() == 1);

	const httplib::Request got = server.requests().front();

	CHECK(got.path == "/prefix/api");
	CHECK(got.get_param_value("a") == "b");
	CHECK(got.body == request.body);
	CHECK(got.get_header_value("Content-Type") == "application/proto");
	CHECK(got.get_header_value("Authorization") == "Bearer geheim");
	CHECK(got.get_header_value("X-Scope-OrgID") == "7");
	CHECK(has(got.get_header_value("User-Agent"), "profil/"));
	CHECK_FALSE(got.has_header("Expect"));
}

TEST_CASE("user and password of the URL are sent, and not shown", "[cli][push]")
{
	const Receiver server(401, "no entry for someone:hush%21 or hush!");
	const std::string url = "http://someone:hush%21@127.0.0.1:" + std::to_string(server.port());
	HttpSettings settings;

	settings.url = url;

	const HttpClient client = client_for(settings);
	const Delivery delivery = deliver(client, PushFormat::Pyroscope, request);

	CHECK(client.url() == server.url());
	/* Base64 of someone:hush! */
	CHECK(server.requests().front().get_header_value("Authorization") == "Basic c29tZW9uZTpodXNoIQ==");
	CHECK(delivery.fate == Fate::Refused);
	CHECK(delivery.reason == server.url() +
					 ": 401 Unauthorized: no entry for someone:hush%21 or *** (see "
					 "--auth-token-file and --user)");
}

TEST_CASE("headers that are malformed, reserved or more than one are refused", "[cli][push]")
{
	CHECK(why_no_header("X-Scope-OrgID: 7").empty());
	CHECK(why_no_header("Authorization: Basic geheim").empty());
	CHECK(why_no_header("geheim") == "a header has the form 'Name: value'");
	CHECK(why_no_header(": geheim") == "a header has the form 'Name: value'");
	CHECK(why_no_header("a b: geheim") == "a header has the form 'Name: value'");
	CHECK(why_no_header("content-length: 1") == "the header content-length is set by profil itself");
	CHECK(why_no_header("X: ") == "the header X has no value");
	CHECK(why_no_header("X: a\r\nHost: b") == "the header X has control characters in its value");
}

TEST_CASE("each HTTP status has its fate, and a message that quotes the answer", "[cli][push]")
{
	CHECK(delivery_of_status(200, "").fate == Fate::Sent);
	CHECK(delivery_of_status(204, "").reason.empty());

	const std::tuple<int, Fate, const char *> all[] = {
		{400, Fate::Refused, "400 Bad Request: too bad"},
		{401, Fate::Refused, "401 Unauthorized: too bad (see --auth-token-file and --user)"},
		{404, Fate::Refused, "404 Not Found: too bad (is it that kind of server? See --format)"},
		{408, Fate::Later, "408 Request Timeout: too bad"},
		{413, Fate::Refused, "413 Content Too Large: too bad"},
		{429, Fate::Later, "429 Too Many Requests: too bad"},
		{500, Fate::Later, "500 Internal Server Error: too bad"},
		{501, Fate::Refused, "501 Not Implemented: too bad"},
		{503, Fate::Later, "503 Service Unavailable: too bad"},
		{418, Fate::Refused, "418: too bad"},
	};

	for (const auto &[status, fate, reason] : all) {
		const Delivery delivery = delivery_of_status(status, " too\r\n\tbad\n");

		CAPTURE(status);
		CHECK(delivery.fate == fate);
		CHECK(delivery.reason == reason);
	}
}

TEST_CASE("a body is shown in part, and cannot control the terminal", "[cli][push]")
{
	CHECK(delivery_of_status(400, "\x1b[2Jgone\xff").reason == "400 Bad Request: ?[2Jgone?");

	const Delivery huge = delivery_of_status(400, std::string(5 << 20, 'x'));

	CHECK(huge.fate == Fate::Refused);
	CHECK(huge.reason == "400 Bad Request: " + std::string(199, 'x') + "…");
}

TEST_CASE("Retry-After is passed on, in seconds", "[cli][push]")
{
	const Receiver server([](const httplib::Request &, httplib::Response &response) {
		response.status = 429;
		response.set_header("Retry-After", "17");
	});

	CHECK(delivery_to(server.url()).retry_after == 17s);
}

TEST_CASE("redirects are not followed", "[cli][push]")
{
	const Receiver other(200, "");
	const Receiver server([&other](const httplib::Request &, httplib::Response &response) {
		response.set_redirect(other.url() + "/elsewhere", 307);
	});
	const Delivery delivery = delivery_to(server.url());

	CHECK(delivery.fate == Fate::Refused);
	CHECK(has(delivery.reason, "307 Temporary Redirect (redirects are not followed: give the new URL"));
	CHECK(other.requests().empty());
}

TEST_CASE("a profile that gets no answer is sent later, whatever the cause", "[cli][push]")
{
	std::string gone;
	{
		const RawServer server(http_test::reset);

		gone = server.url();

		const Delivery delivery = delivery_to(gone);

		CHECK(delivery.fate == Fate::Later);
		CHECK(has(delivery.reason, gone + ": "));
	}
	CHECK(delivery_to(gone).fate == Fate::Later);
	CHECK(has(delivery_to(gone).reason, gone + ": Failed to connect to 127.0.0.1 port "));
	CHECK(delivery_to("http://no-such-host.invalid").fate == Fate::Later);
}

TEST_CASE("a server that never answers is waited for until the timeout", "[cli][push]")
{
	const RawServer server(http_test::never_answer);
	const Delivery delivery = delivery_to(server.url(), 300ms);

	CHECK(delivery.fate == Fate::Later);
	CHECK(has(delivery.reason, "timed out after"));
}

TEST_CASE("a wait for an answer can be cancelled", "[cli][push]")
{
	const RawServer server(http_test::never_answer);
	HttpSettings settings;

	settings.url = server.url();

	const Result<HttpResponse> response = client_for(settings).post(request, [] { return true; });

	REQUIRE_FALSE(response);
	CHECK(response.error().text == server.url() + ": cancelled before it answered");
}

TEST_CASE("Parca's answers are those of gRPC-Web", "[cli][push]")
{
	const Receiver server([](const httplib::Request &, httplib::Response &response) {
		std::string frame = grpc_web_frame("grpc-status: 3\r\ngrpc-message: bad%20labels\r\n");

		frame[0] = '\x80';
		response.set_content(frame, grpc_web_type);
	});
	HttpSettings settings;

	settings.url = server.url();

	const Delivery delivery = deliver(client_for(settings), PushFormat::Parca, request);

	CHECK(delivery.fate == Fate::Refused);
	CHECK(delivery.reason == server.url() + ": 400 Bad Request: bad labels");
}

TEST_CASE("an untrusted certificate is refused", "[cli][push]")
{
	const support::TemporaryDirectory directory;
	const std::string certificate = directory / "cert.pem";
	const std::string key = directory / "key.pem";

	REQUIRE(support::run("openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=test -days 2 -addext "
			     "subjectAltName=IP:127.0.0.1 -keyout " +
			     key + " -out " + certificate)
			.status == 0);

	const Receiver server(std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str()),
			      [](const httplib::Request &, httplib::Response &) {});
	HttpSettings settings;

	settings.url = server.url("https");

	const Result<HttpResponse> distrusted = client_for(settings).post(request);

	REQUIRE_FALSE(distrusted);
	CHECK(has(distrusted.error().text, "certificate"));
	CHECK(server.requests().empty());
	settings.ca_file = certificate;
	CHECK(client_for(settings).post(request));
	CHECK(server.requests().size() == 1);
}
