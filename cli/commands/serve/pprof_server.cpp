// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/serve/pprof_server.h"

#include "cli/http/httplib.h"
#include "cli/http/server_hosts.h"
#include "cli/http/stream.h"
#include "cli/http/task_pool.h"

#include <atomic>
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>

namespace cli {
namespace {

constexpr unsigned default_seconds = 30;
constexpr unsigned longest_seconds = 3600;
constexpr size_t other_threads = 8;
constexpr char text_type[] = "text/plain; charset=utf-8";

constexpr char index_page[] = R"html(<!DOCTYPE html>
<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
<h1>/debug/pprof/</h1>
<ul>
<li><a href="profile?seconds=30">profile</a>: profile of the next 30 seconds; open it with go tool pprof, or profil report</li>
<li><a href="cmdline">cmdline</a>: the command line of this server</li>
</ul>
</body>
</html>
)html";

/* The connection that this thread answers; cpp-httplib does not pass it to handlers. */
thread_local const HttpStream *current_stream;

/* Does what serveError() of net/http/pprof does. */
void serve_error(httplib::Response &response, int status, const std::string &text)
{
	response.status = status;
	response.set_header("X-Go-Pprof", "1");
	response.set_content(text + "\n", text_type);
}

std::optional<unsigned> seconds_of(const httplib::Request &request)
{
	if (!request.has_param("seconds"))
		return default_seconds;

	const std::string text = request.get_param_value("seconds");
	unsigned seconds = 0;
	const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);

	if (error != std::errc() || stop != text.data() + text.size() || seconds < 1 ||
	    seconds > longest_seconds)
		return std::nullopt;
	return seconds;
}

/* RFC 9110 allows it, and Go does it: cpp-httplib would copy the answer for each of a thousand ranges. */
void ignore_ranges(httplib::Request &request)
{
	request.ranges.clear();
}

/** One of the profiles recorded at the same time, counted while it lives. */
class Slot {
public:
	explicit Slot(std::atomic<size_t> &running) : running_(running), number_(++running) {}
	Slot(const Slot &) = delete;
	Slot &operator=(const Slot &) = delete;
	~Slot() { running_--; }

	[[nodiscard]] size_t number() const { return number_; }

private:
	std::atomic<size_t> &running_;
	size_t number_;
};

} // namespace

class PprofServer::Implementation : public httplib::Server {
public:
	Implementation(ServerSettings settings, ServeProfile profile, Fd socket);
	~Implementation() override { close_unused(); }

	Outcome serve();
	void end();
	[[nodiscard]] const ListenAddress &address() const { return settings_.listen; }

private:
	using Request = httplib::Request;
	using Response = httplib::Response;

	bool process_and_close_socket(socket_t socket) override;
	bool admit(const Request &request, Response &response) const;
	void profile(const Request &request, Response &response);
	void add_routes();
	void close_unused();

	const ServerSettings settings_;
	const ServeProfile profile_;
	std::atomic<size_t> running_ = 0;
	std::atomic<bool> stopping_ = false;
};

PprofServer::Implementation::Implementation(ServerSettings settings, ServeProfile profile, Fd socket)
	: settings_(std::move(settings)), profile_(std::move(profile))
{
	svr_sock_ = socket.release();
	new_task_queue = [threads = settings_.max_profiles + other_threads] { return new TaskPool(threads); };
	set_payload_max_length(settings_.limits.request_bytes);
	set_default_headers({{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}});
	set_pre_routing_handler([this](const Request &request, Response &response) {
		return admit(request, response) ? HandlerResponse::Unhandled : HandlerResponse::Handled;
	});
	set_error_handler([](const Request &, Response &response) {
		if (response.body.empty())
			serve_error(response, response.status,
				    response.status == 404 ? "404 page not found" : "bad request");
	});
	add_routes();
}

void PprofServer::Implementation::add_routes()
{
	Get("/debug/pprof/", [](const Request &, Response &response) {
		response.set_content(index_page, "text/html; charset=utf-8");
	});
	Get("/debug/pprof",
	    [](const Request &, Response &response) { response.set_redirect("/debug/pprof/", 301); });
	Get("/debug/pprof/profile",
	    [this](const Request &request, Response &response) { profile(request, response); });
	Get("/debug/pprof/cmdline", [this](const Request &, Response &response) {
		response.set_content(settings_.command_line, text_type);
	});
	/* The profile already has all the names that we know. */
	const auto no_symbols = [](const Request &, Response &response) {
		response.set_content("num_symbols: 0\n", text_type);
	};

	Get("/debug/pprof/symbol", no_symbols);
	Post("/debug/pprof/symbol", no_symbols);
	Get("/healthz", [](const Request &, Response &response) { response.set_content("ok\n", text_type); });
}

/* False when the request is refused; then the response is complete. */
bool PprofServer::Implementation::admit(const Request &request, Response &response) const
{
	if (!is_host_served(request.get_header_value("Host"), settings_.listen, settings_.hosts)) {
		serve_error(response, 403, "host name not allowed (profil serve --allow-host NAME)");
		return false;
	}
	if (request.get_header_value("Sec-Fetch-Site") == "cross-site") {
		serve_error(response, 403, "requests from pages of other sites are refused");
		return false;
	}
	/* Refuse it before the body is read: cpp-httplib would unpack it to any size. */
	if (request.has_header("Content-Encoding")) {
		response.set_header("Accept-Encoding", "identity");
		serve_error(response, 415, "requests with a Content-Encoding are refused");
		return false;
	}
	/* pprof asks for symbols by POST.  HEAD would record a profile that nobody gets. */
	if (request.method == "GET" || (request.method == "POST" && request.path == "/debug/pprof/symbol") ||
	    (request.method == "HEAD" && request.path != "/debug/pprof/profile"))
		return true;
	response.set_header("Allow", "GET");
	serve_error(response, 405, "only GET is allowed");
	return false;
}

void PprofServer::Implementation::profile(const Request &request, Response &response)
{
	const std::optional<unsigned> seconds = seconds_of(request);

	if (!seconds)
		return serve_error(
			response, 400,
			fmt::format("invalid value for \"seconds\" - must be a positive integer, at "
				    "most {}",
				    longest_seconds));

	const Slot slot(running_);

	if (slot.number() > settings_.max_profiles) {
		response.set_header("Retry-After", std::to_string(*seconds));
		return serve_error(response, 503,
				   fmt::format("Could not enable CPU profiling: {} profiles are being "
					       "recorded already",
					       settings_.max_profiles));
	}

	const HttpStream *stream = current_stream;
	const Result<std::string> content = profile_(
		{*seconds, slot.number(), [this, stream] { return stopping_ || stream->is_abandoned(); }});

	if (!content)
		return serve_error(response, 500, "Could not enable CPU profiling: " + content.error().text);
	response.set_header("Content-Disposition", "attachment; filename=\"profile\"");
	response.set_content(*content, "application/octet-stream");
}

/* One request per connection: a connection that is kept open would keep a thread. */
bool PprofServer::Implementation::process_and_close_socket(socket_t socket)
{
	/* cpp-httplib accepts without SOCK_CLOEXEC; programs that we start must not keep connections. */
	fcntl(socket, F_SETFD, FD_CLOEXEC);

	HttpStream stream(Fd(socket), settings_.limits, stopping_);
	bool closed = false;

	current_stream = &stream;

	const bool done = process_request(stream, true, closed, ignore_ranges);

	current_stream = nullptr;
	stream.linger();
	return done;
}

Outcome PprofServer::Implementation::serve()
{
	if (!stopping_ && !listen_after_bind() && !stopping_)
		return Error{fmt::format("{}: accepting connections failed", settings_.listen.text())};
	return Done();
}

/* cpp-httplib's stop() does nothing until its loop has begun, so close the socket instead. */
void PprofServer::Implementation::end()
{
	stopping_ = true;
	close_unused();
}

/* Shut down, so that accept() ends; the exchange ensures that nobody else closes it. */
void PprofServer::Implementation::close_unused()
{
	const socket_t socket = svr_sock_.exchange(INVALID_SOCKET);

	if (socket == INVALID_SOCKET)
		return;
	::shutdown(socket, SHUT_RDWR);
	::close(socket);
	if (!settings_.listen.unix_path.empty())
		unlink(settings_.listen.unix_path.c_str());
}

PprofServer::PprofServer(std::unique_ptr<Implementation> implementation)
	: implementation_(std::move(implementation))
{
}

PprofServer::PprofServer(PprofServer &&other) noexcept = default;
PprofServer::~PprofServer() = default;

Result<PprofServer> PprofServer::listen(ServerSettings settings, ServeProfile profile)
{
	Result<Fd> socket = listen_at(settings.listen);

	if (!socket)
		return Error{socket.error().text + " (choose another address with --listen)"};
	return PprofServer(std::make_unique<Implementation>(std::move(settings), std::move(profile),
							    *std::move(socket)));
}

const ListenAddress &PprofServer::address() const
{
	return implementation_->address();
}

Outcome PprofServer::run()
{
	return implementation_->serve();
}

void PprofServer::stop()
{
	implementation_->end();
}

} // namespace cli
