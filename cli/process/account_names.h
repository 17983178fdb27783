// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/account_names.h  Names of users and groups. */
#pragma once

#include <string>
#include <sys/types.h>

namespace cli {

/** The name of a user, or the number if it has no name. */
std::string user_name(uid_t user);

/** The name of a group, or the number if it has no name. */
std::string group_name(gid_t group);

} // namespace cli
