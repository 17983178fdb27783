// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/loopback.h"

#include <arpa/inet.h>

namespace cli {

bool is_loopback(const std::string &host)
{
	in_addr address = {};

	if (inet_pton(AF_INET, host.c_str(), &address) == 1)
		return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
	return host == "localhost" || host == "::1" || host == "[::1]";
}

} // namespace cli
