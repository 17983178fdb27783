// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/file_name.h  Names of files that are written again and again. */
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace cli {

/** What a name may tell. */
struct NameParts {
	pid_t pid = 0;	    /**< %p */
	int64_t time = 0;   /**< %t: of the beginning, in seconds since the epoch */
	std::string host{}; /**< %h */
};

/**
 * A pattern with %p, %t and %h replaced, and %% by a percent sign; the time is
 * UTC, as 20260131T235959Z, so that names sort by it.
 */
std::string expand_name(const std::string &pattern, const NameParts &parts);

/** Empty if @p pattern can be expanded, else why not. */
std::string why_no_pattern(const std::string &pattern);

/** Does @p pattern have %t, so that each file gets a name of its own? */
bool tells_time(const std::string &pattern);

/** The name of this machine. */
std::string host_name();

} // namespace cli
