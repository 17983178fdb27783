// SPDX-License-Identifier: GPL-2.0-or-later
/** @file pprof.h  A profile to and from pprof's gzipped protocol buffer. */
#pragma once

#include "cli/profile.h"
#include "cli/result.h"

#include <string>
#include <string_view>

namespace cli {

/** The protocol buffer, gzipped. */
std::string encode_pprof(const Profile &profile);

/**
 * A profile from a file's content, gzipped or plain.
 *
 * The content is not trusted: every index in what is returned is in range.
 */
Result<Profile> decode_pprof(std::string_view content);

} // namespace cli
