// SPDX-License-Identifier: GPL-2.0-or-later
/** @file push_content.h  From a profile to the request that pushes it. */
#pragma once

#include "cli/profile.h"
#include "cli/push_encode.h"
#include "cli/push_options.h"
#include "cli/result.h"

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
