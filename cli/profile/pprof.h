// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/pprof.h  Encodes and decodes pprof's gzipped protocol buffer. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/** The protocol buffer, gzipped. */
std::string encode_pprof(const Profile &profile);

/** Limits in bytes, because a small file can expand to a huge profile. */
struct PprofLimits {
	size_t unpacked = size_t{1} << 30; /**< after decompression */
	size_t decoded = size_t{4} << 30;  /**< approximate size of the Profile */
};

/**
 * Decode the content of a file, gzipped or plain.
 *
 * The content is not trusted: every index in the result is in range, and its
 * size is within the limits.
 */
Result<Profile> decode_pprof(std::string_view content, PprofLimits limits = {});

} // namespace cli
