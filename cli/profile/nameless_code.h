// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/nameless_code.h  The name of generated code that has no symbols. */
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>

namespace cli {

/** "[anon:4711] (no names)", for all such code of a process; @p pid 0: of several processes. */
std::string nameless_code_name(pid_t pid);

bool is_nameless_code(std::string_view name);

} // namespace cli
