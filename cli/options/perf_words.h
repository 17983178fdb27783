// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/perf_words.h  Answers to options and commands of perf that profil does not have. */
#pragma once

#include <string_view>

namespace cli {

/** Why profil lacks an option of perf, and what to use instead; empty for other options. */
std::string_view answer_for_perf_option(std::string_view option);

/** The same for a command. */
std::string_view answer_for_perf_command(std::string_view command);

} // namespace cli
