// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/server_hosts.h  Checks Host headers, against DNS rebinding. */
#pragma once

#include "cli/http/listen_address.h"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The host in a Host header (RFC 9110), in lower case, without port and brackets; empty if invalid. */
std::string host_of(std::string_view header);

/**
 * True if a request with this Host header may be answered.  Accepted hosts are the address
 * that the server listens on, localhost, and those in @p allowed; on a local address, also
 * 127.0.0.1 and ::1; on a wildcard address, also any numeric address, because DNS
 * rebinding needs a name.
 */
bool is_host_served(std::string_view header, const ListenAddress &listen,
		    const std::vector<std::string> &allowed);

} // namespace cli
