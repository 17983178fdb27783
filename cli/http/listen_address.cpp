// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/listen_address.h"

#include "cli/http/loopback.h"

#include <arpa/inet.h>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace cli {
namespace {

constexpr int backlog = 16;
constexpr std::string_view unix_prefix = "unix:";

std::optional<uint16_t> port_of(std::string_view text)
{
	uint16_t port = 0;
	const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);

	return error == std::errc() && stop == text.data() + text.size() ? std::optional(port) : std::nullopt;
}

struct FreeAddresses {
	void operator()(addrinfo *list) const { freeaddrinfo(list); }
};

Result<sockaddr_un> unix_address(const std::string &path)
{
	sockaddr_un address = {};

	address.sun_family = AF_UNIX;
	if (path.size() >= sizeof(address.sun_path))
		return Error{fmt::format("unix:{}: the path is longer than {} bytes", path,
					 sizeof(address.sun_path) - 1)};
	std::memcpy(address.sun_path, path.data(), path.size());
	return address;
}

Result<Fd> bound(int family, const sockaddr *address, socklen_t length, const std::string &name)
{
	Fd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	const int on = 1;

	if (!socket)
		return system_error(name);
	if (family != AF_UNIX)
		setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(socket.get(), address, length) || listen(socket.get(), backlog))
		return system_error(name);
	return socket;
}

/* Remove the socket file of a server that was killed: nothing listens on it any more. */
void remove_stale(const sockaddr_un &address)
{
	struct stat status = {};
	/* Non-blocking: a live server with a full backlog must not make us wait. */
	const Fd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

	if (lstat(address.sun_path, &status) || !S_ISSOCK(status.st_mode) || !probe)
		return;
	if (connect(probe.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) &&
	    errno == ECONNREFUSED)
		unlink(address.sun_path);
}

/* Listen on a socket to which only its owner may connect: profiles reveal what a machine does. */
Result<Fd> listen_unix(const ListenAddress &address)
{
	const Result<sockaddr_un> where = unix_address(address.unix_path);

	if (!where)
		return where.error();
	remove_stale(*where);

	const mode_t before = umask(0177);
	Result<Fd> socket =
		bound(AF_UNIX, reinterpret_cast<const sockaddr *>(&*where), sizeof(*where), address.text());

	umask(before);
	return socket;
}

uint16_t port_of(const Fd &socket)
{
	sockaddr_storage own = {};
	socklen_t length = sizeof(own);

	if (getsockname(socket.get(), reinterpret_cast<sockaddr *>(&own), &length))
		return 0;
	return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6 &>(own).sin6_port
					       : reinterpret_cast<const sockaddr_in &>(own).sin_port);
}

} // namespace

std::string ListenAddress::text() const
{
	if (!unix_path.empty())
		return std::string(unix_prefix) + unix_path;
	return host.find(':') == host.npos ? fmt::format("{}:{}", host, port)
					   : fmt::format("[{}]:{}", host, port);
}

bool ListenAddress::is_local() const
{
	return !unix_path.empty() || is_loopback(host);
}

bool ListenAddress::is_wildcard() const
{
	return unix_path.empty() && (host == "0.0.0.0" || host == "::");
}

Result<ListenAddress> parse_listen_address(std::string_view text)
{
	ListenAddress address;

	if (text.starts_with(unix_prefix)) {
		address.unix_path = text.substr(unix_prefix.size());
		if (address.unix_path.empty())
			return Error{"'unix:' has no path"};
		return address;
	}

	const size_t colon = text.rfind(':');
	std::string_view host = text.substr(0, colon == text.npos ? 0 : colon);
	const std::optional<uint16_t> port = port_of(text.substr(colon == text.npos ? 0 : colon + 1));
	const bool brackets = host.starts_with('[') && host.ends_with(']') && host.size() > 2;

	if (brackets)
		host = host.substr(1, host.size() - 2);
	if (!port || (!brackets && host.find_first_of(":[]/@") != host.npos))
		return Error{fmt::format("'{}' is not HOST:PORT, [IPV6]:PORT or unix:PATH", text)};
	if (!host.empty())
		address.host = host;
	address.port = *port;
	return address;
}

Result<Fd> listen_at(ListenAddress &address)
{
	if (!address.unix_path.empty())
		return listen_unix(address);

	addrinfo hints = {};
	addrinfo *list = nullptr;

	hints.ai_socktype = SOCK_STREAM;
	hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
	if (const int error =
		    getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list))
		return Error{fmt::format("{}: {}", address.text(), gai_strerror(error))};

	const std::unique_ptr<addrinfo, FreeAddresses> owner(list);
	Result<Fd> socket = bound(list->ai_family, list->ai_addr, list->ai_addrlen, address.text());

	if (socket)
		address.port = port_of(*socket);
	return socket;
}

} // namespace cli
