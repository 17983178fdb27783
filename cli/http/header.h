// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/header.h  Headers that a user may add to a request (RFC 9110). */
#pragma once

#include <string>

namespace cli {

/** The error in a header that a user has given; empty if it is valid. */
std::string why_no_header(const std::string &header);

} // namespace cli
