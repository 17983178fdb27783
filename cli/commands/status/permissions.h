// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/permissions.h  This user's permissions, found out by trying. */
#pragma once

#include "profil.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cli {

/** Errors are errno values, 0 for success. */
struct Permissions {
	std::string user;
	bool root = false;
	std::string program = "profil"; /**< path of this command, to be run by root */

	int module_error = 0; /**< from opening /dev/profil, or from PROFIL_INFO */
	profil_info info = {};

	int own_error = 0;		 /**< from a perf event on a process of this user */
	int kernel_error = 0;		 /**< from such an event that also ticks in the kernel */
	std::optional<int> others_error; /**< from one on a process of another user, if any */

	uint64_t memlock = 0; /**< RLIMIT_MEMLOCK, the hard limit, in bytes; UINT64_MAX: none */
};

/** Try to open the module's device, and perf events that count nothing. */
Permissions try_everything();

} // namespace cli
