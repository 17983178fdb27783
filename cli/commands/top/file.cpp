// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/file.h"

#include "cli/recording/recording_run.h"

#include <poll.h>

namespace cli {

void TopFile::wait(double seconds, std::span<const int> descriptors)
{
	std::vector<pollfd> events;

	for (const int descriptor : descriptors)
		events.push_back({descriptor, POLLIN, 0});
	poll(events.data(), events.size(), poll_timeout(seconds));
}

} // namespace cli
