// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/listen_address.h  The address that a server listens on. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/** A TCP address, or the path of a Unix domain socket. */
struct ListenAddress {
	std::string host = "127.0.0.1"; /**< a name or a numeric address, without brackets */
	uint16_t port = 6060;		/**< 0: any free port */
	std::string unix_path;		/**< if not empty, used instead of host and port */

	/** "127.0.0.1:6060", "[::1]:6060", "unix:/run/profil.sock" */
	[[nodiscard]] std::string text() const;
	/** True if the address is reachable only from this machine. */
	[[nodiscard]] bool is_local() const;
	/** True if the address stands for every address of this machine. */
	[[nodiscard]] bool is_wildcard() const;
};

/** Parse an address as written by text(); ":PORT" or "PORT" alone means 127.0.0.1. */
Result<ListenAddress> parse_listen_address(std::string_view text);

/** Open a non-blocking listening socket; replace port 0 with the port that the kernel chose. */
Result<Fd> listen_at(ListenAddress &address);

} // namespace cli
