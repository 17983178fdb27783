// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/loopback.h  Is a host this machine? */
#pragma once

#include <string>

namespace cli {

/** "localhost", a number of 127.0.0.0/8, or ::1 with or without brackets; a name is not looked up. */
bool is_loopback(const std::string &host);

} // namespace cli
