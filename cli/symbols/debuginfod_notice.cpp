// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/debuginfod_notice.h"

#include "cli/base/characters.h"
#include "cli/base/stream.h"

#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <set>

namespace cli {
namespace {

/* Shorter waits are not worth a notice. */
constexpr std::chrono::milliseconds patience{500};

void tell_later(const std::stop_token &answered, const std::string &object)
{
	static std::mutex mutex;
	static std::set<std::string> told;
	std::unique_lock lock(mutex);
	std::condition_variable_any clock;

	clock.wait_for(lock, answered, patience, [] { return false; });
	/* One object may be looked for in more than one way. */
	if (!answered.stop_requested() && told.insert(object).second)
		write_message(fmt::format("profil: {}: waiting for debug information from the servers in "
					  "DEBUGINFOD_URLS (DEBUGINFOD_TIMEOUT limits it)\n",
					  printable(object)));
}

} // namespace

/* Destroying the thread stops it. */
DebuginfodNotice::DebuginfodNotice(std::string object) : clock_(tell_later, std::move(object)) {}

} // namespace cli
