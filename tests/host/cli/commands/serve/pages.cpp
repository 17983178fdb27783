// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/serve/pages.cpp  The pages of profil serve, fetched by curl and by go tool
 * pprof. */
#include "tests/host/cli/commands/serve/support.h"

#include <fstream>
#include <iterator>

using namespace cli;
using namespace serve_test;
using support::run;

TEST_CASE("a profile is served as Go serves it", "[cli][serve]")
{
	std::atomic<unsigned> asked = 0;
	std::atomic<size_t> running = 0;
	std::atomic<bool> cancelled = true;
	const Running server([&](const ServeRequest &request) {
		asked = request.seconds;
		running = request.running;
		cancelled = request.cancelled();
		return sample(request);
	});
	const support::TemporaryDirectory directory;
	const std::string file = directory / "profile";
	const support::Output head = server.curl("/debug/pprof/profile?seconds=7", "-D - -o " + file);
	std::ifstream in(file, std::ios::binary);
	const std::string content((std::istreambuf_iterator<char>(in)), {});

	CHECK(asked == 7);
	CHECK(running == 1);
	CHECK_FALSE(cancelled);
	CHECK(has(head.text, "HTTP/1.1 200 OK\r\n"));
	CHECK(has(head.text, "Content-Type: application/octet-stream\r\n"));
	CHECK(has(head.text, "Content-Disposition: attachment; filename=\"profile\"\r\n"));
	CHECK(has(head.text, "X-Content-Type-Options: nosniff\r\n"));
	CHECK(content == encode_pprof(sample_profile()));
	CHECK(server.status("/debug/pprof/profile") == "200");
	CHECK(asked == 30);
}

TEST_CASE("invalid seconds are refused with Go's words", "[cli][serve]")
{
	const Running server(sample);

	for (const char *seconds : {"0", "-1", "3601", "x", "1.5", "", "1x", "99999999999999999999", "%00"}) {
		const support::Output output =
			server.curl(std::string("/debug/pprof/profile?seconds=") + seconds, "-i");

		CAPTURE(seconds);
		CHECK(has(output.text, "HTTP/1.1 400 Bad Request\r\n"));
		CHECK(has(output.text, "X-Go-Pprof: 1\r\n"));
		CHECK(has(output.text, "Content-Type: text/plain; charset=utf-8\r\n"));
		CHECK(has(output.text,
			  "\r\n\r\ninvalid value for \"seconds\" - must be a positive integer, at "
			  "most 3600\n"));
	}
	CHECK(server.status("/debug/pprof/profile?seconds=3600") == "200");
	CHECK(server.status("/debug/pprof/profile?seconds=1") == "200");
}

TEST_CASE("a profile that cannot be recorded is an error with its reason", "[cli][serve]")
{
	const Running server([](const ServeRequest &) -> Result<std::string> { return Error{"no module"}; });
	const support::Output output = server.curl("/debug/pprof/profile?seconds=1", "-i");

	CHECK(has(output.text, "HTTP/1.1 500 "));
	CHECK(has(output.text, "\r\n\r\nCould not enable CPU profiling: no module\n"));
	CHECK_FALSE(has(output.text, "Content-Disposition"));
}

TEST_CASE("the other pages answer as those of net/http/pprof", "[cli][serve]")
{
	ServerSettings settings;

	settings.command_line = std::string("profil\0serve", 12);

	const Running server(sample, settings);

	CHECK(has(server.curl("/debug/pprof", "-i").text, "Location: /debug/pprof/\r\n"));
	CHECK(server.status("/debug/pprof") == "301");
	CHECK(server.curl("/debug/pprof/cmdline").text == settings.command_line);
	CHECK(server.curl("/debug/pprof/symbol").text == "num_symbols: 0\n");
	CHECK(server.curl("/debug/pprof/symbol", "-d 0x1234+0x5678").text == "num_symbols: 0\n");
	CHECK(server.curl("/healthz").text == "ok\n");
	CHECK(server.status("/healthz", "-I") == "200");
	for (const char *path :
	     {"//", "/debug/", "/debug/pprof/heap", "/debug/pprof/../../etc/passwd", "/%00", "/healthz%00x"})
		CHECK(server.status(path, "--path-as-is") == "404");
	CHECK(has(server.curl("/debug/pprof/heap", "-i").text, "\r\n\r\n404 page not found\n"));
}

TEST_CASE("the root, and the page where Go lists profiles, have links to all other pages", "[cli][serve]")
{
	const Running server(sample);

	for (const char *from : {"/", "/debug/pprof/"}) {
		const std::string page = server.curl(from, "-i").text;

		CAPTURE(from);
		CHECK(has(page, "HTTP/1.1 200 OK\r\n"));
		CHECK(has(page, "Content-Type: text/html; charset=utf-8\r\n"));
		for (const char *path :
		     {"/debug/pprof/profile?seconds=30", "/debug/pprof/cmdline", "/healthz"}) {
			CAPTURE(path);
			CHECK(has(page, std::string("<a href=\"") + path + "\">"));
			CHECK(server.status(path) == "200");
		}
	}
}

TEST_CASE("only GET is served", "[cli][serve]")
{
	const Running server(sample);

	for (const char *method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
		CAPTURE(method);
		CHECK(server.status("/debug/pprof/profile", std::string("-X ") + method) == "405");
	}
	CHECK(server.status("/debug/pprof/profile", "-I") == "405");
	CHECK(has(server.curl("/healthz", "-i -X POST").text, "Allow: GET\r\n"));
}

TEST_CASE("a compressed request is not decompressed", "[cli][serve]")
{
	const Running server(sample);
	const support::TemporaryDirectory directory;
	const std::string file = directory / "symbols.gz";

	REQUIRE(run("head -c 50000000 /dev/zero | gzip >" + file).status == 0);
	for (const char *encoding : {"gzip", "deflate", "br", "identity"}) {
		const support::Output output =
			server.curl("/debug/pprof/symbol", std::string("-i -H 'Content-Encoding: ") +
								   encoding + "' --data-binary @" + file);

		CAPTURE(encoding);
		CHECK(has(output.text, "HTTP/1.1 415 "));
		CHECK(has(output.text, "\r\n\r\nrequests with a Content-Encoding are refused\n"));
	}
	CHECK(server.status("/healthz") == "200");
}

TEST_CASE("ranges are ignored, and the answer is sent once", "[cli][serve]")
{
	const Running server(sample);
	std::string many = "bytes=0-0";

	while (many.size() < 8000)
		many += ",0-";
	for (const std::string &range : {std::string("bytes=0-1,1-2"), std::string("bytes=0-0"), many}) {
		const support::Output output = server.curl("/healthz", "-i -H 'Range: " + range + "'");

		CHECK(has(output.text, "HTTP/1.1 200 OK\r\n"));
		CHECK(has(output.text, "\r\n\r\nok\n"));
		CHECK(server.status("/debug/", "-H 'Range: " + range + "'") == "404");
	}
}

TEST_CASE("go tool pprof fetches, symbolizes and shows a profile", "[cli][serve]")
{
	const Running server(sample);
	const support::TemporaryDirectory directory;
	const std::string environment = "env -u http_proxy -u HTTP_PROXY HOME=" + (directory / "") +
					" PPROF_TMPDIR=" + (directory / "");
	const support::Output output =
		run(environment + " go tool pprof -top -seconds 1 " + server.url("/debug/pprof/profile"));

	CAPTURE(output.text);
	CHECK(output.status == 0);
	CHECK(has(output.text,
		  "Fetching profile over HTTP from " + server.url("/debug/pprof/profile?seconds=1")));
	CHECK(has(output.text, "Duration: 1.50s, Total samples = 1001ms (66.73%)"));
	CHECK(has(output.text, "700.70ms 70.00% 70.00%   700.70ms 70.00%  work(int)"));
}
