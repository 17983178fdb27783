// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/delivery.h  The outcome of sending a profile. */
#pragma once

#include "cli/commands/push/encode.h"
#include "cli/http/client.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace cli {

enum class Fate {
	Sent,
	Later,	/**< the server is unreachable, busy or broken: the profile may be sent again */
	Refused /**< the server will never accept it */
};

struct Delivery {
	Fate fate = Fate::Sent;
	std::string reason; /**< "URL: 400 Bad Request: the server's text"; empty for Sent */
	std::optional<std::chrono::seconds> retry_after; /**< the wait that the server requests */
};

/**
 * Derive the outcome from a response.  By RFC 9110 and RFC 6585, 408, 429 and 5xx except
 * 501 and 505 are temporary.  Every other status except 2xx is a refusal.
 */
Delivery judge(const Result<HttpResponse> &response, const std::string &url);

/** Send a request with @p client, and judge the answer by the rules of @p format. */
Delivery deliver(const HttpClient &client, PushFormat format, const HttpRequest &request,
		 const std::function<bool()> &cancelled = {});

} // namespace cli
