// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/settings.h  How a server is called. */
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cli {

/** Whom to call, and as whom.  Secrets appear in no message. */
struct HttpSettings {
	std::string url;   /**< http or https, with a path that those of requests are added to */
	std::string token; /**< for "Authorization: Bearer"; empty: none */
	std::string user;  /**< for basic authentication; those of the URL come second */
	std::string password;
	std::vector<std::string> headers; /**< "Name: value", added to each request */
	std::string ca_file;		  /**< PEM; empty: the system's certificates */
	std::chrono::milliseconds connect_timeout{5000};
	std::chrono::milliseconds timeout{30000}; /**< of a whole request */
};

} // namespace cli
