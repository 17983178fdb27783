// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/http/receiver.h  Servers that the tests push to, well behaved or not. */
#pragma once

#include "cli/base/fd.h"

#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <httplib.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace http_test {

/** A cpp-httplib server in a thread, which keeps the requests that it received. */
class Receiver {
public:
	using Answer = std::function<void(const httplib::Request &, httplib::Response &)>;

	explicit Receiver(Answer answer) : Receiver(std::make_unique<httplib::Server>(), std::move(answer)) {}
	Receiver(std::unique_ptr<httplib::Server> server, Answer answer)
		: server_(std::move(server)), answer_(std::move(answer))
	{
		server_->Post(".*", [this](const httplib::Request &request, httplib::Response &response) {
			{
				const std::lock_guard lock(mutex_);
				requests_.push_back(request);
			}
			answer_(request, response);
		});
		port_ = server_->bind_to_any_port("127.0.0.1");
		thread_ = std::thread([this] { server_->listen_after_bind(); });
		while (!server_->is_running())
			std::this_thread::yield();
	}
	/** A server that answers with a status and a body. */
	Receiver(int status, const std::string &body)
		: Receiver([status, body](const httplib::Request &, httplib::Response &response) {
			  response.status = status;
			  response.set_content(body, "text/plain");
		  })
	{
	}
	Receiver(const Receiver &) = delete;
	Receiver &operator=(const Receiver &) = delete;
	~Receiver()
	{
		server_->stop();
		thread_.join();
	}

	[[nodiscard]] std::string url(const std::string &scheme = "http") const
	{
		return scheme + "://127.0.0.1:" + std::to_string(port_);
	}
	[[nodiscard]] int port() const { return port_; }
	[[nodiscard]] std::vector<httplib::Request> requests() const
	{
		const std::lock_guard lock(mutex_);

		return requests_;
	}

private:
	std::unique_ptr<httplib::Server> server_;
	Answer answer_;
	int port_ = 0;
	mutable std::mutex mutex_;
	std::vector<httplib::Request> requests_;
	std::thread thread_;
};

/** A server that passes each accepted connection to a function, and closes it afterwards. */
class RawServer {
public:
	explicit RawServer(std::function<void(int)> behave) : behave_(std::move(behave))
	{
		sockaddr_in address = {};
		socklen_t length = sizeof(address);

		address.sin_family = AF_INET;
		address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (!socket_ || bind(socket_.get(), reinterpret_cast<sockaddr *>(&address), length) ||
		    listen(socket_.get(), 8) ||
		    getsockname(socket_.get(), reinterpret_cast<sockaddr *>(&address), &length))
			throw std::runtime_error("listen");
		port_ = ntohs(address.sin_port);
		thread_ = std::thread([this] {
			for (;;) {
				const cli::Fd connection(accept(socket_.get(), nullptr, nullptr));

				if (!connection)
					return;
				behave_(connection.get());
			}
		});
	}
	RawServer(const RawServer &) = delete;
	RawServer &operator=(const RawServer &) = delete;
	~RawServer()
	{
		shutdown(socket_.get(), SHUT_RDWR);
		thread_.join();
	}

	[[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

private:
	std::function<void(int)> behave_;
	cli::Fd socket_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	int port_ = 0;
	std::thread thread_;
};

/** Reads until the client closes: a server that never answers. */
inline void never_answer(int connection)
{
	char rest[4096];

	while (recv(connection, rest, sizeof(rest), 0) > 0)
		;
}

/** Closes the connection with a reset. */
inline void reset(int connection)
{
	const linger now = {1, 0};
	char some[16];

	recv(connection, some, sizeof(some), 0);
	setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

} // namespace http_test
