// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/pprof.h  A profile to and from pprof's gzipped protocol buffer. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/** The protocol buffer, gzipped. */
std::string encode_pprof(const Profile &profile);

/** How much a file may become, in bytes: a few can stand for very many. */
struct PprofLimits {
	size_t unpacked = size_t{1} << 30; /**< what gzip makes of it */
	size_t decoded = size_t{4} << 30;  /**< about what the Profile takes */
};

/**
 * A profile from a file's content, gzipped or plain.
 *
 * The content is not trusted: every index in what is returned is in range, and
 * what it takes is within the limits.
 */
Result<Profile> decode_pprof(std::string_view content, PprofLimits limits = {});

} // namespace cli
