// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/perf_script.h  Reads the output of perf script as a profile. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <cstddef>
#include <string_view>

namespace cli {

/** True if a text begins like the output of perf script, after its comments. */
bool is_perf_script(std::string_view text);

/**
 * Read the default fields of perf-script(1), with or without call stacks, and with the process
 * ID if there is one: "comm pid/tid [cpu] seconds: period event:", then "ip symbol+offset (dso)"
 * on the same line, or a line for each function of the stack.
 *
 * The types of values are "samples", and the event, whose values are perf's periods.  With
 * several events, there is only a type for each event, the one with the most samples first.
 * Addresses are those at which the code ran.  Nothing in the text is trusted.
 *
 * @param most_memory limit on the size of the result, in bytes, approximately
 */
Result<Profile> read_perf_script(std::string_view text, size_t most_memory = size_t{4} << 30);

} // namespace cli
