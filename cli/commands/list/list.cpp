// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/list/list.h"

#include "cli/base/numbers.h"
#include "cli/events/available.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace cli {
namespace {

/** The cells of a row. */
struct Line {
	std::string event;
	std::string period;
	std::string needs;
};

/** "every event" or "1 in 10,007": the events that are sampled by default. */
std::string default_text(const Event &event)
{
	return event.period == 1 ? "every event" : fmt::format("1 in {}", grouped(event.period));
}

std::string alias_text(const Event &event)
{
	const EventName *const known = find_event_name(event.name);

	return !known || known->alias.empty() ? "" : fmt::format(" or {}", known->alias);
}

} // namespace

std::string list_text(std::span<const Event> events)
{
	constexpr const char *privilege = "CAP_PERFMON";
	constexpr size_t least = 40;
	std::vector<Line> lines = {{"event", "sampled by default", "needs"}};
	size_t width = least;
	std::string text;

	for (const Event &event : events)
		lines.push_back({event.name + alias_text(event), default_text(event),
				 needs_privilege(event) ? privilege : ""});
	lines.push_back({});
	lines.push_back({"mem:0x601040[/4][:rw], on x86", "every event", privilege});
	lines.push_back({"rNNN, a raw event of the CPU", "1 in 1,000,003", privilege});
	lines.push_back({"PMU/TERM=N,.../", "1 in 1,000,003", privilege});
	lines.push_back({"system:tracepoint", "every event", privilege});
	for (const Line &line : lines)
		width = std::max(width, line.event.size());
	for (const Line &line : lines) {
		text += fmt::format("{:<{}}  {:<18}  {}", line.event, width, line.period, line.needs);
		text.resize(text.find_last_not_of(' ') + 1);
		text += '\n';
	}
	return text + R"text(
A name may be followed by a period (page-faults:10), u for user mode only,
k for the kernel only, p for precise attribution.
Tracepoints are the folders below /sys/kernel/tracing/events.
Terms of a PMU are the files in its format and events, below
/sys/bus/event_source/devices; also period=N and name=NAME.
)text";
}

} // namespace cli
