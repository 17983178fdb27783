// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/settings.h  Settings for calling an HTTP server. */
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cli {

/** The server's URL, credentials, headers and timeouts.  Secrets never appear in messages. */
struct HttpSettings {
	std::string url;   /**< http or https; the paths of requests are appended to its path */
	std::string token; /**< for "Authorization: Bearer"; empty: none */
	std::string user;  /**< for basic authentication; empty: the user and password in the URL */
	std::string password;
	std::vector<std::string> headers; /**< "Name: value", added to each request */
	std::string ca_file;		  /**< in PEM format; empty: the system's certificates */
	std::chrono::milliseconds connect_timeout{5000};
	std::chrono::milliseconds timeout{30000}; /**< for a whole request */
};

} // namespace cli
