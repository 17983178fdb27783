// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/server_hosts.h  By which names a server answers. */
#pragma once

#include "cli/http/listen_address.h"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The host of a Host header (RFC 9110), without port and brackets, in lower case; empty if it is none. */
std::string host_of(std::string_view header);

/**
 * May a request with that Host header be answered?  By the address that is
 * listened on, by localhost, and by @p allowed.  Who listens on every address is
 * called by any number, too: what rebinding needs is a name.
 */
bool is_host_served(std::string_view header, const ListenAddress &listen,
		    const std::vector<std::string> &allowed);

} // namespace cli
