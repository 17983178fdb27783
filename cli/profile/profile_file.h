// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/profile_file.h  Reads profiles from files. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <string>

namespace cli {

/** The default file that record writes and all other commands read. */
inline constexpr char default_profile_file[] = "profil.pb.gz";

/**
 * Read a file in pprof's format, gzipped or plain, or the output of perf script; "-" is
 * standard input.  Every index in the result is in range; nothing else about it is trusted.
 *
 * @param value the type of the values to keep; empty: all
 */
Result<Profile> read_profile(const std::string &path, const std::string &value = "");

/** The raw content of a file that read_profile() reads, at most 1 GiB, not checked. */
Result<std::string> read_profile_content(const std::string &path);

/** The name of the file for messages; "standard input" for "-". */
std::string profile_file_name(const std::string &path);

} // namespace cli
