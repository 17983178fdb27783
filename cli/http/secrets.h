// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/secrets.h  What must not be shown. */
#pragma once

#include "cli/http/settings.h"

#include <string>

namespace cli {

/**
 * With *** for the token, the password, also as basic authentication sends it, and
 * the values, if not very short, of the headers that a user gave: servers quote
 * what they were sent.
 */
std::string without_secrets(const HttpSettings &settings, std::string text);

/** Does the name of a header, given as "Name: value", say that the value is a secret? */
bool is_secret_header(const std::string &header);

} // namespace cli
