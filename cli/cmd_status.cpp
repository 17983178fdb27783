// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/arguments.h"
#include "cli/status.h"
#include "cli/stream.h"
#include "cli/subcommands.h"

#include <sys/utsname.h>

namespace cli {
namespace {

constexpr char name[] = "profil status";

std::string kernel_release()
{
	utsname kernel;

	return uname(&kernel) ? "" : kernel.release;
}

/* The cost comes last: measuring it is a profile, too. */
Status find_out(bool measure)
{
	Status status;

	status.machine = read_machine("", kernel_release(), program_directory());
	status.caller = try_everything();
	status.abilities = judge(status.machine, status.caller);
	if (!status.usable())
		return status;
	status.search = find_sessions("");
	if (measure)
		status.cost = measure_tick_cost();
	return status;
}

} // namespace

std::string status_help()
{
	return R"help(Usage: profil status [options]

Show whether profil works here: the module and its version, /dev/profil, what
this user may profile, the limits and what is in use of them, the clock, who
profiles what, and what a tick costs.  Whatever cannot be done comes with the
commands that would make it work.

      --json              a JSON document, as described by status.schema.json
      --no-cost           do not measure what a tick costs, which takes a tenth of
                          a second of CPU time
  -h, --help              this text

Whom others profile is shown to them and to root; of programs that profile
themselves there is the number only.  Who may profile whom is up to the kernel:
kernel.perf_event_paranoid, CAP_PERFMON, and the same user.  (Yama's ptrace_scope
is about debuggers, and changes nothing here.)

The cost is measured: the time that an interruption takes from a loop which is
profiled meanwhile, so with all that the kernel does at a tick.

The exit status is 0 when everything can be done, 1 when something cannot, 2
for wrong usage.

Examples:
  profil status
  sudo profil status
  profil status --json | jq '.abilities[] | select(.can | not)'
)help";
}

int status_main(const std::vector<std::string> &arguments)
{
	CLI::App app("", name);
	bool json = false;
	bool no_cost = false;

	app.add_flag("--json", json);
	app.add_flag("--no-cost", no_cost);
	if (const std::optional<int> status = parse_arguments(app, arguments, status_help()))
		return *status;

	const Status status = find_out(!no_cost);

	if (const int printed = print(name, json ? status_json(status) : status_text(status));
	    printed != exit_ok)
		return printed;
	return status.well() ? exit_ok : exit_failure;
}

} // namespace cli
