// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/serve/pprof_server.h"

#include "cli/http/server.h"
#include "cli/http/server_hosts.h"

#include <atomic>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace cli {
namespace {

constexpr unsigned default_seconds = 30;
constexpr unsigned longest_seconds = 3600;
constexpr size_t other_connections = 8;
constexpr char text_type[] = "text/plain; charset=utf-8";

/* This page is at "/", and where a Go program lists its profiles, so its links are absolute. */
constexpr char index_page[] = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<title>profil serve</title>
</head>
<body>
<h1>profil serve</h1>
<p>This server profiles the processes that it was started for, while a client waits for a profile.</p>
<ul>
<li><a href="/debug/pprof/profile?seconds=30">/debug/pprof/profile?seconds=30</a>: a profile of the next 30 seconds, for
<code>go tool pprof</code>, <code>profil report</code> and scrapers</li>
<li><a href="/debug/pprof/cmdline">/debug/pprof/cmdline</a>: the command line of this server</li>
<li><a href="/healthz">/healthz</a>: ok, while the server runs</li>
</ul>
</body>
</html>
)html";

/* Like serveError() of net/http/pprof. */
ServerAnswer serve_error(unsigned status, const std::string &text)
{
	return {status, text + "\n", {{"X-Go-Pprof", "1"}, {"Content-Type", text_type}}};
}

ServerAnswer page(std::string text, const std::string &type = text_type)
{
	return {200, std::move(text), {{"Content-Type", type}}};
}

std::optional<unsigned> seconds_of(const ServerRequest &request)
{
	const std::optional<std::string_view> text = request.parameter("seconds");
	unsigned seconds = 0;

	if (!text)
		return default_seconds;

	const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);

	if (error != std::errc() || stop != text->data() + text->size() || seconds < 1 ||
	    seconds > longest_seconds)
		return std::nullopt;
	return seconds;
}

/** Counts as one of the profiles that are being recorded, while this object lives. */
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

class PprofServer::Implementation {
public:
	Implementation(ServerSettings settings, ServeProfile profile, Fd socket);
	~Implementation();

	[[nodiscard]] const ListenAddress &address() const { return settings_.listen; }
	HttpServer &server() { return server_; }

private:
	ServerAnswer answer(const ServerRequest &request);
	[[nodiscard]] std::optional<ServerAnswer> refuse(const ServerRequest &request) const;
	ServerAnswer route(const ServerRequest &request);
	ServerAnswer profile(const ServerRequest &request);

	const ServerSettings settings_;
	const ServeProfile profile_;
	std::atomic<size_t> running_ = 0;
	HttpServer server_;
};

PprofServer::Implementation::Implementation(ServerSettings settings, ServeProfile profile, Fd socket)
	: settings_(std::move(settings)), profile_(std::move(profile)),
	  server_(std::move(socket), settings_.limits, settings_.max_profiles + other_connections,
		  [this](const ServerRequest &request) { return answer(request); })
{
}

PprofServer::Implementation::~Implementation()
{
	if (!settings_.listen.unix_path.empty())
		unlink(settings_.listen.unix_path.c_str());
}

ServerAnswer PprofServer::Implementation::answer(const ServerRequest &request)
{
	const std::optional<ServerAnswer> refusal = refuse(request);
	ServerAnswer answer = refusal ? *refusal : route(request);

	answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
	answer.headers.emplace_back("Cache-Control", "no-store");
	return answer;
}

std::optional<ServerAnswer> PprofServer::Implementation::refuse(const ServerRequest &request) const
{
	const std::optional<std::string_view> host = request.header("Host");

	if (!host)
		return serve_error(400, "the request has no Host header");
	if (!is_host_served(*host, settings_.listen, settings_.hosts))
		return serve_error(403, "host name not allowed (profil serve --allow-host NAME)");
	if (request.header("Sec-Fetch-Site") == "cross-site")
		return serve_error(403, "requests from pages of other sites are refused");
	if (request.header("Content-Encoding")) {
		ServerAnswer answer = serve_error(415, "requests with a Content-Encoding are refused");

		answer.headers.emplace_back("Accept-Encoding", "identity");
		return answer;
	}
	/* pprof requests symbols by POST.  HEAD would record a profile, only to discard it. */
	if (request.method() == "GET" ||
	    (request.method() == "POST" && request.path() == "/debug/pprof/symbol") ||
	    (request.method() == "HEAD" && request.path() != "/debug/pprof/profile"))
		return std::nullopt;

	ServerAnswer answer = serve_error(405, "only GET is allowed");

	answer.headers.emplace_back("Allow", "GET");
	return answer;
}

ServerAnswer PprofServer::Implementation::route(const ServerRequest &request)
{
	if (request.path() == "/" || request.path() == "/debug/pprof/")
		return page(index_page, "text/html; charset=utf-8");
	if (request.path() == "/debug/pprof")
		return {301, "", {{"Location", "/debug/pprof/"}}};
	if (request.path() == "/debug/pprof/profile")
		return profile(request);
	if (request.path() == "/debug/pprof/cmdline")
		return page(settings_.command_line);
	/* The profile already has all the names that we know. */
	if (request.path() == "/debug/pprof/symbol")
		return page("num_symbols: 0\n");
	if (request.path() == "/healthz")
		return page("ok\n");
	return serve_error(404, "404 page not found");
}

ServerAnswer PprofServer::Implementation::profile(const ServerRequest &request)
{
	const std::optional<unsigned> seconds = seconds_of(request);

	if (!seconds)
		return serve_error(400, fmt::format("invalid value for \"seconds\" - must be a positive "
						    "integer, at most {}",
						    longest_seconds));

	const Slot slot(running_);

	if (slot.number() > settings_.max_profiles) {
		ServerAnswer answer = serve_error(
			503,
			fmt::format("Could not enable CPU profiling: {} profiles are being recorded already",
				    settings_.max_profiles));

		answer.headers.emplace_back("Retry-After", std::to_string(*seconds));
		return answer;
	}

	Result<std::string> content =
		profile_({*seconds, slot.number(), [&request] { return request.cancelled(); }});

	if (!content)
		return serve_error(500, "Could not enable CPU profiling: " + content.error().text);

	ServerAnswer answer = page(*std::move(content), "application/octet-stream");

	answer.headers.emplace_back("Content-Disposition", "attachment; filename=\"profile\"");
	return answer;
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
	return implementation_->server().run();
}

void PprofServer::stop()
{
	implementation_->server().stop();
}

} // namespace cli
