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
	Refused /**< the server does not want it, now or ever */
};

struct Delivery {
	Fate fate = Fate::Sent;
	std::string reason; /**< "URL: 400 Bad Request: what the server said", empty when sent */
	std::optional<std::chrono::seconds> retry_after; /**< when the server wants it again */
};

/**
 * By RFC 9110: 408, 429 and 5xx are a matter of time, but for 501 and 505; all
 * else that is not 2xx is a refusal.
 */
Delivery judge(const Result<HttpResponse> &response, const std::string &url);

/** Send it by @p client; the answers of @p format are understood. */
Delivery deliver(const HttpClient &client, PushFormat format, const HttpRequest &request,
		 const std::function<bool()> &cancelled = {});

} // namespace cli
