// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/held_sessions.h  Finds all sessions and their recordings, in
 * the fdinfo of open files of /dev/profil: see profil(4). */
#pragma once

#include "cli/profile/event_account.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cli {

/** One recording of any user. */
struct HeldProfile {
	uint32_t id = 0;
	std::vector<pid_t> pids; /**< the processes that it follows, if we may see them */
	bool more_pids = false;	 /**< it follows more processes than those in pids */
	uint64_t processes = 0;	 /**< the number of address spaces that it samples */
	std::string state;	 /**< "running", or the reason why it does not run */
	uint64_t period = 0;	 /**< ns, or events */
	std::string event;	 /**< the name of the event that ticks; empty: the clock ticks */
	EventAccount account;	 /**< the event's, since its first profile began */
	uint64_t ticks = 0;
	uint64_t counted = 0;
	uint64_t lost = 0;
	std::optional<uint64_t> pinned_pages; /**< nullopt while the profile is being changed */
};

/** An open /dev/profil. */
struct HeldSession {
	uint64_t id = 0; /**< a session that is open in several processes is listed once */
	pid_t pid = 0;
	std::string process; /**< its name */
	uid_t user = 0;
	std::vector<HeldProfile> profiles;
};

struct SessionSearch {
	std::vector<HeldSession> sessions;
	size_t hidden = 0; /**< processes whose files we may not see */
};

/** Parse the module's lines in an fdinfo file; nullopt if it has none. */
std::optional<HeldSession> parse_fdinfo(std::string_view text);

/** Search the open files of all processes. @param root used as "/", as for read_machine(). */
SessionSearch find_sessions(const std::string &root);

} // namespace cli
