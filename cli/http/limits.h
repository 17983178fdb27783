// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/limits.h  What a client of an HTTP server may use of it. */
#pragma once

#include <chrono>
#include <cstddef>

namespace cli {

/** How long a client may take, however little it sends at a time, and how much it may send. */
struct HttpLimits {
	std::chrono::milliseconds request{10000};
	std::chrono::milliseconds response{60000};
	size_t request_bytes = 64 << 10;
};

} // namespace cli
