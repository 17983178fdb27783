// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/name.h"

#include "cli/events/event.h"
#include "cli/events/line.h"

#include <filesystem>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <system_error>

namespace cli {
namespace {

namespace fs = std::filesystem;

/** "SYSTEM:NAME" of the tracepoint with that number; "" if no visible tracepoint has it. */
std::string name_of_tracepoint(uint64_t id, const std::string &root)
{
	std::error_code error;

	for (fs::directory_iterator system(root, error), end; !error && system != end;
	     system.increment(error)) {
		std::error_code gone;

		for (fs::directory_iterator point(system->path(), gone); !gone && point != end;
		     point.increment(gone))
			if (number_in(point->path() / "id") == id)
				return fmt::format("{}:{}", system->path().filename().string(),
						   point->path().filename().string());
	}
	return {};
}

} // namespace

std::string name_of_event(uint32_t type, uint64_t config, const std::string &root)
{
	std::string name;

	for (const EventName &one : event_names())
		if (one.type == type && one.config == config)
			return std::string(one.name);
	if (type == PERF_TYPE_TRACEPOINT)
		name = name_of_tracepoint(config, root);
	else if (type == PERF_TYPE_RAW)
		name = fmt::format("r{:x}", config);
	return name.empty() ? fmt::format("event {} {:#x}", type, config) : name;
}

} // namespace cli
