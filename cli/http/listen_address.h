// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/listen_address.h  Where a server listens. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/** An address of TCP, or of a socket in the file system. */
struct ListenAddress {
	std::string host = "127.0.0.1"; /**< a name or a number, without brackets */
	uint16_t port = 6060;		/**< 0: any */
	std::string unix_path;		/**< instead, if not empty */

	/** "127.0.0.1:6060", "[::1]:6060", "unix:/run/profil.sock" */
	[[nodiscard]] std::string text() const;
	/** Can only this machine reach it? */
	[[nodiscard]] bool is_local() const;
	/** Is it every address that this machine has? */
	[[nodiscard]] bool is_wildcard() const;
};

/** From what text() gives; a bare ":PORT" or "PORT" is of 127.0.0.1. */
Result<ListenAddress> parse_listen_address(std::string_view text);

/** A socket that listens; with port 0 that is set to the one it has. */
Result<Fd> listen_at(ListenAddress &address);

} // namespace cli
