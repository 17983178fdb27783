// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/perf_words.h  Answers to what users of perf type first. */
#pragma once

#include <string_view>

namespace cli {

/** Why there is no such option, and what serves instead; empty if it is not one of perf's. */
std::string_view answer_for_perf_option(std::string_view option);

/** The same for a command. */
std::string_view answer_for_perf_command(std::string_view command);

} // namespace cli
