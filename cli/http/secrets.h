// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/secrets.h  Keeps secrets out of messages. */
#pragma once

#include "cli/http/settings.h"

#include <string>

namespace cli {

/**
 * @p text with secrets replaced by ***, because servers may quote the headers that they received.
 *
 * Secrets are the token, the password (also in the encoding of basic
 * authentication), and the values of the user's headers, unless they are very short.
 */
std::string without_secrets(const HttpSettings &settings, std::string text);

/** True if the name in a header "Name: value" says that the value is a secret. */
bool is_secret_header(const std::string &header);

} // namespace cli
