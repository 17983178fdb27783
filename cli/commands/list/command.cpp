// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/exit.h"
#include "cli/base/numbers.h"
#include "cli/base/stream.h"
#include "cli/events/available.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr char name[] = "profil list";

/** "1 of 10,007": how often a sample is taken if nothing else is asked for. */
std::string default_text(const Event &event)
{
	return event.period == 1 ? "each" : fmt::format("1 of {}", grouped(event.period));
}

std::string alias_text(const Event &event)
{
	const EventName *const known = find_event_name(event.name);

	return !known || known->alias.empty() ? "" : fmt::format(" or {}", known->alias);
}

std::string list_text()
{
	std::string text = "event                                     sampled by default  needs\n";

	for (const Event &event : available_events())
		text += fmt::format("{:<40}  {:<18}  {}\n", event.name + alias_text(event),
				    default_text(event), needs_privilege(event) ? "CAP_PERFMON" : "");
	return text + R"text(
mem:0x601040[/4][:rw], on x86             each                CAP_PERFMON
rNNN, a raw event of the CPU              1 of 1,000,003      CAP_PERFMON
PMU/TERM=N,.../                           1 of 1,000,003      CAP_PERFMON
system:tracepoint                         each                CAP_PERFMON

Behind the name: a period (page-faults:10), u for user mode only, p for a precise place.
Tracepoints are the folders below /sys/kernel/tracing/events.
Terms of a PMU are the files in its format and events, below
/sys/bus/event_source/devices; also period=N and name=NAME.
)text";
}

} // namespace

std::string list_help()
{
	return R"help(Usage: profil list

List the events that this kernel and CPU can sample, for 'profil record -e'.
Time is sampled without -e, and needs no event.

  -h, --help              this text

Examples:
  profil list
  profil record -e page-faults -- ./program
                          where a program touches memory for the first time
  profil record -e cycles,cache-misses -p 4711 -d 10
                          cycles, and what they wait for
)help";
}

int list_main(const std::vector<std::string> &arguments)
{
	CLI::App app("", name);

	if (const std::optional<int> status = parse_arguments(app, arguments, list_help()))
		return *status;
	return print(name, list_text());
}

} // namespace cli
