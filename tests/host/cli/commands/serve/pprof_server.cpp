// SPDX-License-Identifier: GPL-2.0-or-later
// The server of profiles: asked by curl, by go tool pprof, and by clients that misbehave.
#include "cli/commands/serve/pprof_server.h"
#include "cli/http/server_hosts.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/programs.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>

using namespace cli;
using namespace std::chrono_literals;
using support::run;

namespace {

/** A server in a thread, on any port. */
class Running {
public:
	explicit Running(ServeProfile profile, ServerSettings settings = {})
		: server_(start(std::move(settings), std::move(profile))), thread_([this] {
			  const Outcome done = server_.run();

			  failed_ = !done;
		  })
	{
	}
	Running(const Running &) = delete;
	Running &operator=(const Running &) = delete;
	~Running() { stop(); }

	/** False if it had failed. */
	bool stop()
	{
		server_.stop();
		if (thread_.joinable())
			thread_.join();
		return !failed_;
	}
	[[nodiscard]] int port() const { return server_.address().port; }
	[[nodiscard]] std::string url(const std::string &path) const
	{
		return "http://" + server_.address().text() + path;
	}
	/** What curl says of a path; options come before. */
	[[nodiscard]] support::Output curl(const std::string &path, const std::string &options = "") const
	{
		return run("curl --noproxy '*' -sS -m 30 " + options + " '" + url(path) + "'");
	}
	/** Its status alone. */
	[[nodiscard]] std::string status(const std::string &path, const std::string &options = "") const
	{
		return curl(path, "-o /dev/null -w '%{http_code}' " + options).text;
	}

private:
	static PprofServer start(ServerSettings settings, ServeProfile profile)
	{
		if (settings.listen.unix_path.empty())
			settings.listen.port = 0;

		Result<PprofServer> server = PprofServer::listen(std::move(settings), std::move(profile));

		REQUIRE(server);
		return *std::move(server);
	}

	PprofServer server_;
	std::atomic<bool> failed_ = false;
	std::thread thread_;
};

Result<std::string> sample(const ServeRequest &)
{
	return encode_pprof(sample_profile());
}

bool has(const std::string &text, const std::string &part)
{
	return text.find(part) != std::string::npos;
}

template <typename Condition> bool eventually(const Condition &condition)
{
	for (int i = 0; i < 3000 && !condition(); i++)
		std::this_thread::sleep_for(10ms);
	return condition();
}

void raise(std::atomic<size_t> &most, size_t value)
{
	for (size_t before = most; before < value && !most.compare_exchange_weak(before, value);)
		;
}

/** A connection of TCP. */
Fd connected(int port)
{
	Fd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	sockaddr_in address = {};

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = htons(static_cast<uint16_t>(port));
	REQUIRE(connect(client.get(), reinterpret_cast<sockaddr *>(&address), sizeof(address)) == 0);
	return client;
}

/** Send, and read until the server closes. */
std::string exchange(int port, const std::string &text)
{
	const Fd client = connected(port);
	std::string answer;
	char some[4096];

	send(client.get(), text.data(), text.size(), MSG_NOSIGNAL);
	for (ssize_t got; (got = recv(client.get(), some, sizeof(some), 0)) > 0;)
		answer.append(some, static_cast<size_t>(got));
	return answer;
}

} // namespace

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

TEST_CASE("seconds that make no sense are refused with Go's words", "[cli][serve]")
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

TEST_CASE("the other pages are those of net/http/pprof, as far as they are here", "[cli][serve]")
{
	ServerSettings settings;

	settings.command_line = std::string("profil\0serve", 12);

	const Running server(sample, settings);

	CHECK(has(server.curl("/debug/pprof", "-i").text, "Location: /debug/pprof/\r\n"));
	CHECK(server.status("/debug/pprof") == "301");
	CHECK(has(server.curl("/debug/pprof/").text, "<a href=\"profile?seconds=30\">profile</a>"));
	CHECK(server.curl("/debug/pprof/cmdline").text == settings.command_line);
	CHECK(server.curl("/debug/pprof/symbol").text == "num_symbols: 0\n");
	CHECK(server.curl("/debug/pprof/symbol", "-d 0x1234+0x5678").text == "num_symbols: 0\n");
	CHECK(server.curl("/healthz").text == "ok\n");
	CHECK(server.status("/healthz", "-I") == "200");
	for (const char *path :
	     {"/", "/debug/", "/debug/pprof/heap", "/debug/pprof/../../etc/passwd", "/%00"})
		CHECK(server.status(path, "--path-as-is") == "404");
	CHECK(has(server.curl("/debug/pprof/heap", "-i").text, "\r\n\r\n404 page not found\n"));
}

TEST_CASE("nothing but GET is served", "[cli][serve]")
{
	const Running server(sample);

	for (const char *method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
		CAPTURE(method);
		CHECK(server.status("/debug/pprof/profile", std::string("-X ") + method) == "405");
	}
	CHECK(server.status("/debug/pprof/profile", "-I") == "405");
	CHECK(has(server.curl("/healthz", "-i -X POST").text, "Allow: GET\r\n"));
}

TEST_CASE("a request is not unpacked", "[cli][serve]")
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
		CHECK(has(output.text, "\r\n\r\na request with a Content-Encoding is not read here\n"));
	}
	CHECK(server.status("/healthz") == "200");
}

TEST_CASE("ranges are ignored: the answer is not sent for each", "[cli][serve]")
{
	const Running server(sample);
	std::string many = "bytes=0-0";

	while (many.size() < 8000)
		many += ",0-";
	for (const std::string &range : {std::string("bytes=0-1,1-2"), std::string("bytes=0-0"), many}) {
		const support::Output output = server.curl("/healthz", "-i -H 'Range: " + range + "'");

		CHECK(has(output.text, "HTTP/1.1 200 OK\r\n"));
		CHECK(has(output.text, "\r\n\r\nok\n"));
		CHECK(server.status("/", "-H 'Range: " + range + "'") == "404");
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

TEST_CASE("several are served at a time, and those beyond the limit told to come back", "[cli][serve]")
{
	std::atomic<size_t> most = 0;
	std::atomic<unsigned> begun = 0;
	std::atomic<bool> go_on = false;
	ServerSettings settings;

	settings.max_profiles = 2;

	const Running server(
		[&](const ServeRequest &request) {
			raise(most, request.running);
			begun++;
			eventually([&go_on] { return go_on.load(); });
			return sample(request);
		},
		settings);
	std::atomic<unsigned> served = 0;
	std::vector<std::jthread> clients;

	for (int i = 0; i < 2; i++)
		clients.emplace_back([&] { served += server.status("/debug/pprof/profile") == "200"; });
	REQUIRE(eventually([&begun] { return begun == 2; }));

	const support::Output third = server.curl("/debug/pprof/profile?seconds=9", "-i");

	CHECK(has(third.text, "HTTP/1.1 503 Service Unavailable\r\n"));
	CHECK(has(third.text, "Retry-After: 9\r\n"));
	CHECK(has(third.text, "2 profiles are being recorded already\n"));
	CHECK(server.status("/healthz") == "200");
	go_on = true;
	for (std::jthread &client : clients)
		client.join();
	CHECK(served == 2);
	CHECK(most == 2);
	CHECK(server.status("/debug/pprof/profile") == "200");
}

TEST_CASE("a client that goes away cancels its profile", "[cli][serve]")
{
	std::atomic<bool> begun = false;
	std::atomic<bool> cancelled = false;
	const Running server([&](const ServeRequest &request) -> Result<std::string> {
		begun = true;
		cancelled = eventually(request.cancelled);
		return Error{"cancelled"};
	});

	{
		const Fd client = connected(server.port());
		const std::string text = "GET /debug/pprof/profile HTTP/1.1\r\nHost: localhost\r\n\r\n";

		REQUIRE(send(client.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
		REQUIRE(eventually([&begun] { return begun.load(); }));
		std::this_thread::sleep_for(50ms);
		CHECK_FALSE(cancelled);
	}
	CHECK(eventually([&cancelled] { return cancelled.load(); }));
}

TEST_CASE("a server that is stopped cancels what runs, and ends", "[cli][serve]")
{
	std::atomic<bool> begun = false;
	Running server([&](const ServeRequest &request) -> Result<std::string> {
		begun = true;
		eventually(request.cancelled);
		return Error{"stopped"};
	});
	std::string status;
	std::jthread client([&] { status = server.status("/debug/pprof/profile"); });

	REQUIRE(eventually([&begun] { return begun.load(); }));
	CHECK(server.stop());
	client.join();
	CHECK(status == "500");
	CHECK(has(server.curl("/healthz").text, "Failed to connect"));
}

TEST_CASE("a client that says nothing does not hold up the end", "[cli][serve]")
{
	ServerSettings settings;

	settings.limits.request = 24h;

	Running server(sample, settings);
	const Fd silent = connected(server.port());

	/* Connections are taken in their order: the silent one has a thread by then. */
	CHECK(server.status("/healthz") == "200");
	CHECK(server.stop());
}

TEST_CASE("only the address and localhost are answered, unless told otherwise", "[cli][serve]")
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
	CHECK(server.status("/healthz", "-H 'Host:'") == "403");
	CHECK(server.status("/healthz", "-H 'Sec-Fetch-Site: cross-site'") == "403");
	CHECK(server.status("/healthz", "-H 'Sec-Fetch-Site: same-origin'") == "200");
}

TEST_CASE("who listens everywhere is called by any number, but no name", "[cli][serve]")
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

TEST_CASE("who sends a request slowly is cut off", "[cli][serve]")
{
	ServerSettings settings;

	settings.limits.request = 500ms;

	const Running server(sample, settings);
	const Fd silent = connected(server.port());
	const Fd slow = connected(server.port());
	char byte = 0;

	/* Each byte is in time; all of them are not. */
	while (send(slow.get(), "G", 1, MSG_NOSIGNAL) == 1)
		std::this_thread::sleep_for(50ms);
	CHECK(recv(silent.get(), &byte, 1, 0) == 0);
}

TEST_CASE("who sends a request without end is cut off", "[cli][serve]")
{
	const Running server(sample);

	CHECK(has(exchange(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\n" + std::string(100000, 'a')),
		  "HTTP/1.1 400 Bad Request\r\n"));
	CHECK(server.status("/healthz") == "200");
}

TEST_CASE("what is no HTTP is answered with an error, or not at all", "[cli][serve]")
{
	const Running server(sample);

	for (const char *text : {"\r\n\r\n", "hello\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n"})
		CHECK_FALSE(has(exchange(server.port(), text), "200 OK"));
	CHECK(server.status("/healthz") == "200");
}

TEST_CASE("addresses to listen on are read, and written", "[cli][serve]")
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

TEST_CASE("an address that somebody has is an error with a next step", "[cli][serve]")
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

TEST_CASE("a socket in the file system is its owner's, and one that was left is replaced", "[cli][serve]")
{
	const support::TemporaryDirectory directory;
	const std::string path = directory / "socket";
	ServerSettings settings;
	struct stat status = {};

	settings.listen.unix_path = path;

	const std::string curl = "curl -sS --unix-socket " + path + " http://localhost/healthz";

	/* Left by one that did not end as it should. */
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
