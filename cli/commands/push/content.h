// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/content.h  From a profile to the request that pushes it. */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/encode.h"
#include "cli/commands/push/options.h"
#include "cli/profile/profile.h"

#include <string>

namespace cli {

/**
 * The request that pushes a profile as the options say.
 * @param service what it is filed under unless they say otherwise.
 * @param content the profile in pprof's format, gzipped or not.
 */
Result<HttpRequest> push_request(const PushOptions &options, const std::string &service,
				 const Profile &profile, std::string content);

} // namespace cli
