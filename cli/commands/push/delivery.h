// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/delivery.h  What became of a profile that was sent. */
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
	Later,	/**< the server cannot be reached, is busy or broken: may be sent again */
	Refused /**< the server refuses it for good */
};

struct Delivery {
	Fate fate = Fate::Sent;
	std::string reason; /**< "URL: 400 Bad Request: what the server said", empty when sent */
	std::optional<std::chrono::seconds> retry_after; /**< when the server asks for the next attempt */
};

/**
 * As RFC 9110 defines them, 408, 429 and 5xx except 501 and 505 are temporary.
 * Every other status except 2xx is a refusal.
 */
Delivery judge(const Result<HttpResponse> &response, const std::string &url);

/** Send a request by @p client, and judge its answer as @p format defines it. */
Delivery deliver(const HttpClient &client, PushFormat format, const HttpRequest &request,
		 const std::function<bool()> &cancelled = {});

} // namespace cli
