// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/client.h  POSTs to one server, using libcurl. */
#pragma once

#include "cli/base/result.h"
#include "cli/http/message.h"
#include "cli/http/settings.h"

#include <functional>
#include <string>

namespace cli {

/**
 * Sends requests to a server, one at a time.  It verifies certificates, returns redirects
 * like any other response, and does not read .netrc.
 */
class HttpClient {
public:
	/** Fails if the URL is invalid, or if the settings have both a token and a user. */
	static Result<HttpClient> create(HttpSettings settings);

	/**
	 * Send @p request and wait for the response, whatever its status.
	 * @param cancelled is called several times a second; if it returns true, the request ends.
	 * @return the response, or an error that names the URL.
	 */
	Result<HttpResponse> post(const HttpRequest &request,
				  const std::function<bool()> &cancelled = {}) const;

	/** The URL for messages, without user and password. */
	[[nodiscard]] const std::string &url() const { return settings_.url; }
	/** True if a secret would be sent over the network unencrypted. */
	[[nodiscard]] bool exposes_secrets() const;
	/** @p text with *** for secrets, for messages: see secrets.h. */
	[[nodiscard]] std::string without_secrets(std::string text) const;

private:
	explicit HttpClient(HttpSettings settings) : settings_(std::move(settings)) {}
	Outcome take_apart_url();

	HttpSettings settings_;
	std::string host_;
};

} // namespace cli
