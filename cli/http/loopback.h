// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/loopback.h  Recognizes loopback addresses. */
#pragma once

#include <string>

namespace cli {

/** True if @p host is "localhost", in 127.0.0.0/8, or ::1 or [::1].  Does not resolve names. */
bool is_loopback(const std::string &host);

} // namespace cli
