// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/server.h  An HTTP server with limits, using libmicrohttpd. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"
#include "cli/http/limits.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <microhttpd.h>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

class HttpServer;

/** A request whose headers have been received; valid while it is answered. */
class ServerRequest {
public:
	ServerRequest(const HttpServer &server, MHD_Connection *connection, int socket,
		      std::string_view method, std::string_view path)
		: method_(method), path_(path), server_(server), connection_(connection), socket_(socket)
	{
	}

	[[nodiscard]] std::string_view method() const { return method_; }
	/** The path without the query; decoded, unless it contains %00. */
	[[nodiscard]] std::string_view path() const { return path_; }
	[[nodiscard]] std::optional<std::string_view> header(std::string_view name) const
	{
		return value(MHD_HEADER_KIND, name);
	}
	/** A parameter of the query, decoded like the path. */
	[[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const
	{
		return value(MHD_GET_ARGUMENT_KIND, name);
	}
	/**
	 * True if the client has closed its end, or the server is stopping.  A client that has only
	 * shut down its sending side looks the same; Go's net/http also treats it as gone.
	 */
	[[nodiscard]] bool cancelled() const;

private:
	[[nodiscard]] std::optional<std::string_view> value(MHD_ValueKind kind, std::string_view name) const;

	std::string_view method_;
	std::string_view path_;
	const HttpServer &server_;
	MHD_Connection *connection_;
	int socket_;
};

struct ServerAnswer {
	unsigned status = 200;
	std::string body;
	std::vector<std::pair<std::string, std::string>> headers;
};

/**
 * Answers each request in its own thread, on its own connection.
 *
 * A request is answered as soon as its headers have arrived; bodies are discarded.  At the limit of
 * connections, the next client is not accepted and waits in the kernel's backlog.
 *
 * libmicrohttpd itself can neither leave clients in the backlog nor limit the time of a whole
 * request.  So run() accepts the connections, and keeps a duplicate of each socket, with which it
 * cuts off late clients and gives the others time to read the answer.
 */
class HttpServer {
public:
	/** Called by several threads at once. */
	using Answer = std::function<ServerAnswer(const ServerRequest &)>;

	/** @param socket is listening, and does not block. */
	HttpServer(Fd socket, HttpLimits limits, size_t most_connections, Answer answer);
	HttpServer(const HttpServer &) = delete;
	HttpServer &operator=(const HttpServer &) = delete;

	/** Answer requests; returns after stop(), when the running requests have been answered. */
	Outcome run();
	/** Cancel running requests and end run(), from another thread; also before run() has begun. */
	void stop();
	[[nodiscard]] bool is_stopping() const { return stopping_; }

private:
	using Clock = std::chrono::steady_clock;

	enum class Phase {
		Request,  /**< until the headers of the request have arrived */
		Answer,	  /**< while the handler makes the answer */
		Response, /**< until the answer is sent */
		Cut,	  /**< cut off, until libmicrohttpd has noticed it */
		Linger,	  /**< the client may still read the answer; its input is discarded */
	};

	struct Connection {
		Fd socket;		    /**< our duplicate */
		int original;		    /**< libmicrohttpd's descriptor */
		Clock::time_point deadline; /**< the end of the phase */
		Phase phase = Phase::Request;
		size_t discarded = 0;
	};

	static MHD_Result on_request(void *server, MHD_Connection *connection, const char *path,
				     const char *method, const char *version, const char *body,
				     size_t *body_size, void **context);
	static void on_connection(void *server, MHD_Connection *connection, void **context,
				  MHD_ConnectionNotificationCode what);

	void wait();
	void accept(MHD_Daemon *daemon);
	void enter(Connection &connection, Phase phase);
	bool is_over(Connection &connection) const;

	Fd listening_;
	Fd woken_; /**< an eventfd that makes wait() return */
	const HttpLimits limits_;
	const size_t most_connections_;
	const Answer answer_;
	std::atomic<bool> stopping_ = false;
	std::mutex mutex_; /**< guards the elements of connections_; only run() adds and removes them */
	std::list<Connection> connections_;
};

} // namespace cli
