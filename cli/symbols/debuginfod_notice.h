// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debuginfod_notice.h  Tells the user that debug information is being downloaded. */
#pragma once

#include <string>
#include <thread>

namespace cli {

/**
 * While this exists, a debuginfod server may have to answer; if that takes long, the user is told,
 * once for each object.
 *
 * libdwfl asks the servers in DEBUGINFOD_URLS for debug information that is not installed.
 * DEBUGINFOD_TIMEOUT and other variables limit the wait, see debuginfod_find_debuginfo(3).  The
 * library's own progress function is no help: since 0.191 it is first called when a server answers.
 */
class DebuginfodNotice {
public:
	/** @param object the name of what is looked for. */
	explicit DebuginfodNotice(std::string object);

private:
	std::jthread clock_;
};

} // namespace cli
