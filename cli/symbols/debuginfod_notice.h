// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debuginfod_notice.h  Tells the user that debug information is being downloaded. */
#pragma once

#include "cli/base/fd.h"

#include <chrono>
#include <elfutils/libdwfl.h>
#include <string>

namespace cli {

/**
 * Tells the user, once for each object, that a debuginfod server has to answer.
 *
 * libdwfl asks the servers in DEBUGINFOD_URLS for debug information that is not
 * installed.  DEBUGINFOD_TIMEOUT and other variables limit the wait, see
 * debuginfod_find_debuginfo(3).
 */
class DebuginfodNotice {
public:
	/**
	 * @param dwfl must be used only for this object, and must not outlive this;
	 *        nullptr: nothing is asked for.
	 * @param object the object's name.
	 */
	DebuginfodNotice(Dwfl *dwfl, std::string object);
	DebuginfodNotice(const DebuginfodNotice &) = delete;
	DebuginfodNotice &operator=(const DebuginfodNotice &) = delete;

private:
	static int progress(debuginfod_client *client, long done, long all);
	void waiting();

	std::string object_;
	std::chrono::steady_clock::time_point begin_{}; /* of the wait */
	bool said_ = false;
};

/**
 * Debug information from the servers in DEBUGINFOD_URLS, or from the cache of earlier downloads.
 * @param object its name, for the notice.
 * @param build_id in hexadecimal digits.
 * @return closed if there are no servers, or none has it.
 */
Fd download_debug_file(const std::string &object, const std::string &build_id);

} // namespace cli
