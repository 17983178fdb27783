// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debuginfod_notice.h  Tells the user that debug information is being downloaded. */
#pragma once

#include <string>
#include <thread>

namespace cli {

/**
 * Lives while a debuginfod query may be pending.  If the answer is slow, it tells the user so, once
 * per object.
 *
 * libdwfl asks the servers in DEBUGINFOD_URLS for debug information that is not installed.
 * DEBUGINFOD_TIMEOUT and other variables limit the wait, see debuginfod_find_debuginfo(3).  The
 * library's own progress function does not help: libdebuginfod 0.192 does not call it before a server
 * answers.
 */
class DebuginfodNotice {
public:
	/** @param object the name of the object. */
	explicit DebuginfodNotice(std::string object);

private:
	std::jthread clock_;
};

} // namespace cli
