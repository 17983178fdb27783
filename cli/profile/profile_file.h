// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/profile_file.h  Profiles in files. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <string>

namespace cli {

/** Where record writes, and everything else reads, unless told otherwise. */
inline constexpr char default_profile_file[] = "profil.pb.gz";

/**
 * Read a file in pprof's format, gzipped or plain; "-" is standard input.
 * What is returned has every index in range, and is not to be trusted otherwise.
 */
Result<Profile> read_profile(const std::string &path);

/** The same file as it is, at most a GiB: not looked into. */
Result<std::string> read_profile_content(const std::string &path);

/** How to call it: "-" is "standard input". */
std::string profile_file_name(const std::string &path);

} // namespace cli
