// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/stream.h"
#include "cli/commands/list/list.h"
#include "cli/events/available.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"

#include <CLI/CLI.hpp>

namespace cli {
namespace {

constexpr char name[] = "profil list";

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
                          cycles, and the cache misses that cost some of them
)help";
}

int list_main(const std::vector<std::string> &arguments)
{
	CLI::App app("", name);

	if (const std::optional<int> status = parse_arguments(app, arguments, list_help()))
		return *status;
	return print(name, list_text(available_events()));
}

} // namespace cli
