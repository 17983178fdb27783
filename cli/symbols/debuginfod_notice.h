// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debuginfod_notice.h  Says that names are waited for, which come over the network. */
#pragma once

#include <chrono>
#include <elfutils/libdwfl.h>
#include <string>

namespace cli {

/**
 * Tells the user, once for an object, that a debuginfod server is waited for.
 *
 * libdwfl asks the servers in DEBUGINFOD_URLS by itself for what is not
 * installed, and gives up by DEBUGINFOD_TIMEOUT and its like, see
 * debuginfod_find_debuginfo(3).
 */
class DebuginfodNotice {
public:
	/**
	 * @param dwfl asks for this object alone, and does not outlive this;
	 *        NULL: nothing is asked for.
	 * @param object its name.
	 */
	DebuginfodNotice(Dwfl *dwfl, std::string object);
	DebuginfodNotice(const DebuginfodNotice &) = delete;
	DebuginfodNotice &operator=(const DebuginfodNotice &) = delete;

private:
	static int progress(debuginfod_client *client, long done, long all);
	void waiting();

	std::string object_;
	std::chrono::steady_clock::time_point begin_{}; /* of the waiting */
	bool said_ = false;
};

} // namespace cli
