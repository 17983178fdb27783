// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>

namespace cli {
namespace {

/* Closing a socket with unread input resets the connection, and the client could lose the answer. */
constexpr std::chrono::milliseconds longest_linger{1000};
constexpr size_t most_discarded = 1 << 20;
/* The pause after an error of accept(2): nearly all are transient, as a lack of descriptors. */
constexpr std::chrono::milliseconds accept_pause{10};

struct StopDaemon {
	void operator()(MHD_Daemon *daemon) const { MHD_stop_daemon(daemon); }
};

struct DestroyResponse {
	void operator()(MHD_Response *response) const { MHD_destroy_response(response); }
};

/* libmicrohttpd's strings end at a NUL: "/healthz%00x" must not become "/healthz". */
size_t unescape(void *, MHD_Connection *, char *text)
{
	return std::strstr(text, "%00") ? std::strlen(text) : MHD_http_unescape(text);
}

MHD_Result send_answer(MHD_Connection *connection, const ServerAnswer &answer)
{
	const std::unique_ptr<MHD_Response, DestroyResponse> response(MHD_create_response_from_buffer(
		answer.body.size(), const_cast<char *>(answer.body.data()), MHD_RESPMEM_MUST_COPY));

	if (!response)
		return MHD_NO;
	for (const auto &[name, value] : answer.headers) {
		if (!MHD_add_response_header(response.get(), name.c_str(), value.c_str()))
			return MHD_NO;
	}
	/* A connection that is kept alive would occupy a thread. */
	if (!MHD_add_response_header(response.get(), MHD_HTTP_HEADER_CONNECTION, "close"))
		return MHD_NO;
	return MHD_queue_response(connection, answer.status, response.get());
}

} // namespace

std::optional<std::string_view> ServerRequest::value(MHD_ValueKind kind, std::string_view name) const
{
	const char *text = nullptr;
	size_t size = 0;

	if (!MHD_lookup_connection_value_n(connection_, kind, name.data(), name.size(), &text, &size))
		return std::nullopt;
	/* For a parameter without '=', text is null. */
	return text ? std::string_view(text, size) : std::string_view();
}

bool ServerRequest::cancelled() const
{
	pollfd socket = {socket_, POLLRDHUP, 0};

	return server_.is_stopping() || poll(&socket, 1, 0) > 0;
}

HttpServer::HttpServer(Fd socket, HttpLimits limits, size_t most_connections, Answer answer)
	: listening_(std::move(socket)), woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), limits_(limits),
	  most_connections_(most_connections), answer_(std::move(answer))
{
}

MHD_Result HttpServer::on_request(void *cls, MHD_Connection *connection, const char *path, const char *method,
				  const char *, const char *, size_t *, void **)
{
	auto &server = *static_cast<HttpServer *>(cls);
	auto &ours = *static_cast<Connection *>(
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
	ServerAnswer answer;

	server.enter(ours, Phase::Answer);
	/* No exception may pass through libmicrohttpd, which is written in C. */
	try {
		answer = server.answer_({server, connection, ours.socket.get(), method, path});
	} catch (const std::exception &error) {
		answer = {500, std::string(error.what()) + "\n", {}};
	}
	server.enter(ours, Phase::Response);
	return send_answer(connection, answer);
}

void HttpServer::on_connection(void *cls, MHD_Connection *connection, void **context,
			       MHD_ConnectionNotificationCode what)
{
	auto &server = *static_cast<HttpServer *>(cls);

	if (what == MHD_CONNECTION_NOTIFY_CLOSED)
		return server.enter(*static_cast<Connection *>(*context), Phase::Linger);

	const int socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	const std::lock_guard lock(server.mutex_);

	/* Take the newest: a lingering connection may have had the same descriptor number. */
	*context = &*std::find_if(server.connections_.rbegin(), server.connections_.rend(),
				  [socket](const Connection &ours) { return ours.original == socket; });
}

void HttpServer::enter(Connection &connection, Phase phase)
{
	const Clock::time_point now = Clock::now();
	const std::lock_guard lock(mutex_);

	/* A connection that was cut off may only enter the phase Linger. */
	if (connection.phase == Phase::Cut && phase != Phase::Linger)
		return;
	connection.phase = phase;
	connection.deadline = phase == Phase::Request	 ? now + limits_.request
			      : phase == Phase::Response ? now + limits_.response
			      : phase == Phase::Linger	 ? now + longest_linger
							 : Clock::time_point::max();
	if (phase == Phase::Linger)
		shutdown(connection.socket.get(), SHUT_WR);
	eventfd_write(woken_.get(), 1);
}

void HttpServer::accept(MHD_Daemon *daemon)
{
	sockaddr_storage address = {};
	socklen_t length = sizeof(address);

	if (connections_.size() >= most_connections_)
		return;

	/* Programs that we start must not inherit connections. */
	Fd socket(accept4(listening_.get(), reinterpret_cast<sockaddr *>(&address), &length,
			  SOCK_CLOEXEC | SOCK_NONBLOCK));
	Fd duplicate(socket ? fcntl(socket.get(), F_DUPFD_CLOEXEC, 0) : -1);

	if (!duplicate) {
		if (errno != EAGAIN)
			std::this_thread::sleep_for(accept_pause);
		return;
	}
	{
		const std::lock_guard lock(mutex_);

		connections_.push_back({std::move(duplicate), socket.get(), Clock::now() + limits_.request});
	}
	/* MHD_add_connection() closes the socket even if it fails. */
	if (!MHD_add_connection(daemon, socket.release(), reinterpret_cast<sockaddr *>(&address), length))
		enter(connections_.back(), Phase::Linger);
}

/* Wait until a phase has changed, a client can be accepted, a lingering client has sent data or has
 * closed its end, or a deadline has passed. */
void HttpServer::wait()
{
	std::vector<pollfd> sockets = {
		{woken_.get(), POLLIN, 0},
		{connections_.size() < most_connections_ ? listening_.get() : -1, POLLIN, 0}};
	Clock::time_point deadline = Clock::time_point::max();
	eventfd_t times;

	{
		const std::lock_guard lock(mutex_);

		for (const Connection &connection : connections_) {
			deadline = std::min(deadline, connection.deadline);
			if (connection.phase == Phase::Linger)
				sockets.push_back({connection.socket.get(), POLLIN, 0});
		}
	}

	const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();

	poll(sockets.data(), sockets.size(),
	     deadline == Clock::time_point::max() ? -1
						  : static_cast<int>(std::clamp<long>(left, 0, INT_MAX)));
	eventfd_read(woken_.get(), &times);
}

/* Read a lingering connection's input, or cut off a late connection; true if the connection can be
 * removed.  The caller holds the mutex. */
bool HttpServer::is_over(Connection &connection) const
{
	const bool late = Clock::now() >= connection.deadline;
	std::array<char, 4096> rest;

	if (connection.phase == Phase::Linger) {
		const ssize_t got = recv(connection.socket.get(), rest.data(), rest.size(), MSG_DONTWAIT);

		connection.discarded += static_cast<size_t>(std::max<ssize_t>(got, 0));
		return late || got == 0 || (got < 0 && errno != EAGAIN) ||
		       connection.discarded >= most_discarded;
	}
	if (late || (stopping_ && connection.phase == Phase::Request)) {
		shutdown(connection.socket.get(), SHUT_RDWR);
		connection.phase = Phase::Cut;
		connection.deadline = Clock::time_point::max();
	}
	return false;
}

Outcome HttpServer::run()
{
	const std::unique_ptr<MHD_Daemon, StopDaemon> daemon(
		MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION |
					 MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC,
				 0, nullptr, nullptr, &on_request, this, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				 limits_.request_bytes, MHD_OPTION_NOTIFY_CONNECTION, &on_connection, this,
				 MHD_OPTION_UNESCAPE_CALLBACK, &unescape, nullptr, MHD_OPTION_END));

	if (!daemon || !woken_)
		return system_error("cannot start an HTTP server");
	for (;;) {
		if (stopping_)
			listening_.close();
		else
			accept(daemon.get());
		{
			const std::lock_guard lock(mutex_);

			connections_.remove_if(
				[this](Connection &connection) { return is_over(connection); });
		}
		if (stopping_ && connections_.empty())
			return Done();
		wait();
	}
}

void HttpServer::stop()
{
	stopping_ = true;
	eventfd_write(woken_.get(), 1);
}

} // namespace cli
