// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/limits.h  Limits on the clients of an HTTP server. */
#pragma once

#include <chrono>
#include <cstddef>

namespace cli {

/** The longest time for a whole request and for a whole response, and the largest request. */
struct HttpLimits {
	std::chrono::milliseconds request{10000};
	std::chrono::milliseconds response{60000};
	size_t request_bytes = 64 << 10;
};

} // namespace cli
