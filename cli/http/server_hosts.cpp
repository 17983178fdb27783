// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/server_hosts.h"

#include "cli/base/letter_case.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

namespace cli {
namespace {

bool is_number(const std::string &host)
{
	std::array<unsigned char, sizeof(in6_addr)> address;

	return inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
	       inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

bool is_port(std::string_view text)
{
	return text.empty() || (text.front() == ':' && text.find_first_not_of("0123456789", 1) == text.npos);
}

} // namespace

std::string host_of(std::string_view header)
{
	if (header.starts_with('[')) {
		const size_t end = header.find(']');

		return end != header.npos && is_port(header.substr(end + 1))
			       ? lower_case(header.substr(1, end - 1))
			       : "";
	}

	const size_t colon = header.find(':');

	if (colon != header.npos && !is_port(header.substr(colon)))
		return "";
	return lower_case(header.substr(0, colon));
}

bool is_host_served(std::string_view header, const ListenAddress &listen,
		    const std::vector<std::string> &allowed)
{
	const std::string host = host_of(header);
	const auto same = [&host](const std::string &name) { return lower_case(name) == host; };

	if (host.empty())
		return false;
	if (host == "localhost" || same(listen.host) || std::any_of(allowed.begin(), allowed.end(), same))
		return true;
	if (listen.is_wildcard())
		return is_number(host);
	return listen.is_local() && (host == "127.0.0.1" || host == "::1");
}

} // namespace cli
