// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/content.h  Makes the request that pushes a profile. */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/encode.h"
#include "cli/commands/push/options.h"
#include "cli/profile/profile.h"

#include <string>

namespace cli {

/**
 * The request that pushes a profile as the options say.
 * @param service the service name, unless a label gives another.
 * @param content the profile in pprof's format, gzipped or not.
 */
Result<HttpRequest> push_request(const PushOptions &options, const std::string &service,
				 const Profile &profile, std::string content);

} // namespace cli
