// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/header.h  Headers that a user may add to a request (RFC 9110). */
#pragma once

#include <string>

namespace cli {

/** What is wrong with a header given by a user; empty if nothing is. */
std::string why_no_header(const std::string &header);

} // namespace cli
