// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/serve/clients.cpp  Clients of the server of profiles that are
 * many, go away or misbehave. */
#include "cli/base/fd.h"
#include "tests/host/cli/commands/serve/support.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <vector>

using namespace cli;
using namespace serve_test;
using namespace std::chrono_literals;

namespace {

void raise(std::atomic<size_t> &most, size_t value)
{
	for (size_t before = most; before < value && !most.compare_exchange_weak(before, value);)
		;
}

/** A TCP connection to the server. */
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

/** Sends a text, and reads until the server closes the connection. */
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

TEST_CASE("several clients are served at a time, and those beyond the limit are told to come back",
	  "[cli][serve]")
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
	std::atomic<bool> cancelled = false;
	std::atomic<int> questions = 0;
	const Running server([&](const ServeRequest &request) -> Result<std::string> {
		cancelled = eventually([&] {
			questions++;
			return request.cancelled();
		});
		return Error{"cancelled"};
	});

	{
		const Fd client = connected(server.port());
		const std::string text = "GET /debug/pprof/profile HTTP/1.1\r\nHost: localhost\r\n\r\n";

		REQUIRE(send(client.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
		/* Every call of cancelled() but the last has returned false. */
		CHECK(eventually([&questions] { return questions > 5; }));
		CHECK_FALSE(cancelled);
	}
	CHECK(eventually([&cancelled] { return cancelled.load(); }));
}

TEST_CASE("a server that is stopped cancels running profiles, and ends", "[cli][serve]")
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

TEST_CASE("a silent client does not delay the end of the server", "[cli][serve]")
{
	ServerSettings settings;

	settings.limits.request = 24h;

	Running server(sample, settings);
	const Fd silent = connected(server.port());

	/* Connections are accepted in order: after this answer, the silent one has a thread. */
	CHECK(server.status("/healthz") == "200");
	CHECK(server.stop());
}

TEST_CASE("a client that sends a request slowly is cut off", "[cli][serve]")
{
	ServerSettings settings;

	settings.limits.request = 500ms;

	const Running server(sample, settings);
	const Fd silent = connected(server.port());
	const Fd slow = connected(server.port());
	char byte = 0;

	/* Each byte comes in time, but the whole request does not. */
	while (send(slow.get(), "G", 1, MSG_NOSIGNAL) == 1)
		std::this_thread::sleep_for(50ms);
	CHECK(recv(silent.get(), &byte, 1, 0) == 0);
}

TEST_CASE("a client that sends an endless request is cut off", "[cli][serve]")
{
	const Running server(sample);

	CHECK(has(exchange(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\n" + std::string(100000, 'a')),
		  "HTTP/1.1 431 Request Header Fields Too Large\r\n"));
	CHECK(server.status("/healthz") == "200");
}

TEST_CASE("clients beyond the limit of connections wait until others have gone", "[cli][serve]")
{
	ServerSettings settings;

	settings.limits.request = 24h;
	settings.max_profiles = 1;

	const Running server(sample, settings);
	std::vector<Fd> silent;

	for (int i = 0; i < 8 + 1; i++)
		silent.push_back(connected(server.port()));

	const Fd late = connected(server.port());
	const std::string text = "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n";
	std::string answer(4096, '\0');

	REQUIRE(send(late.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
	/* The late request is in the kernel's backlog: neither refused nor answered. */
	CHECK(recv(late.get(), answer.data(), answer.size(), MSG_DONTWAIT) == -1);
	CHECK(errno == EAGAIN);
	silent.clear();
	CHECK(recv(late.get(), answer.data(), answer.size(), 0) > 0);
	CHECK(has(answer, " 200 OK\r\n"));
}

TEST_CASE("input that is not HTTP gets an error, or no answer", "[cli][serve]")
{
	ServerSettings settings;

	/* After empty lines, the server still waits for a request. */
	settings.limits.request = 500ms;

	const Running server(sample, settings);

	for (const char *text : {"\r\n\r\n", "hello\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n"})
		CHECK_FALSE(has(exchange(server.port(), text), "200 OK"));
	CHECK(server.status("/healthz") == "200");
}
