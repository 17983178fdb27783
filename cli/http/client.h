// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/client.h  POSTs to one server, by libcurl. */
#pragma once

#include "cli/base/result.h"
#include "cli/http/message.h"
#include "cli/http/settings.h"

#include <functional>
#include <string>

namespace cli {

/**
 * Certificates are verified, redirects not followed (they are answers like
 * others), and .netrc is not read.  One request at a time.
 */
class HttpClient {
public:
	/** An error if the URL is none, or there are two ways of authentication. */
	static Result<HttpClient> create(HttpSettings settings);

	/**
	 * Send it and wait for the answer, whatever its status.
	 * @param cancelled is asked several times a second.
	 * @return an error, with the URL in it, if there was no answer.
	 */
	Result<HttpResponse> post(const HttpRequest &request,
				  const std::function<bool()> &cancelled = {}) const;

	/** The URL as it may be shown: without user and password. */
	[[nodiscard]] const std::string &url() const { return settings_.url; }
	/** Would a secret go over the network for everybody to read? */
	[[nodiscard]] bool exposes_secrets() const;
	/** With *** for secrets, for what is to be shown: see http_secrets.h. */
	[[nodiscard]] std::string without_secrets(std::string text) const;

private:
	explicit HttpClient(HttpSettings settings) : settings_(std::move(settings)) {}
	Outcome take_apart_url();

	HttpSettings settings_;
	std::string host_;
};

} // namespace cli
