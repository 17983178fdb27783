// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/file_name.h  File names with %p, %t and %h. */
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace cli {

/** The values that a file name can contain. */
struct NameParts {
	pid_t pid = 0;	    /**< %p */
	int64_t time = 0;   /**< %t: the time of the profile's start, or of the snapshot, in s since 1970 */
	std::string host{}; /**< %h */
};

/**
 * Replace %p, %t and %h in a pattern, and %% with a percent sign.  The time is in
 * UTC, as 20260131T235959Z, so that names sort by time.
 */
std::string expand_name(const std::string &pattern, const NameParts &parts);

/** The error in a pattern that cannot be expanded; empty if it can. */
std::string why_no_pattern(const std::string &pattern);

/** True if @p pattern contains %t, which gives each file its own name. */
bool tells_time(const std::string &pattern);

/** The name of this machine. */
std::string host_name();

} // namespace cli
