// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/exit.h"
#include "cli/base/stream.h"
#include "cli/commands/status/status.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"
#include "cli/process/process.h"

#include <CLI/CLI.hpp>
#include <sys/utsname.h>

namespace cli {
namespace {

constexpr char name[] = "profil status";

std::string kernel_release()
{
	utsname kernel;

	return uname(&kernel) ? "" : kernel.release;
}

/** The costs to measure. */
struct Measurements {
	bool no_tick = false;
	bool switches = false;
	pid_t pid = 0;
	double rate = 999;
};

Result<CostTarget> find_target(pid_t pid, double rate)
{
	const Outcome possible = check_process(pid);
	const Result<ProcessLoad> load = possible ? measure_load(pid) : possible.error();

	if (!load)
		return load.error();
	return CostTarget{pid, process_name(pid), rate, *load};
}

/* Measure costs last: otherwise, the profiles for the measurements would be listed, too. */
Status find_out(const Measurements &wanted)
{
	Status status;

	status.machine = read_machine("", kernel_release(), program_directory());
	status.permissions = try_everything();
	status.abilities = judge(status.machine, status.permissions);
	if (!status.usable())
		return status;
	status.search = find_sessions("");
	if (!wanted.no_tick)
		status.cost = measure_tick_cost();
	if (wanted.switches)
		status.switch_cost = measure_switch_cost();
	if (wanted.pid)
		status.target = find_target(wanted.pid, wanted.rate);
	return status;
}

} // namespace

std::string status_help()
{
	return R"help(Usage: profil status [options]

Show whether profil works here: the module and its version, /dev/profil, what
this user may profile, the limits and how much of them is used, the clock, the
running recordings and their targets, and the cost of a tick.  If something does
not work, show the commands that would make it work.

      --json              print a JSON document, as described by
                          status.schema.json
      --cost              also measure the cost of a context switch, which takes
                          half a second
  -p, --pid PID           with --cost: measure this process for a second, and
                          estimate the cost of a profile of it
  -F, --freq HZ           with -p: at this rate (default 999)
      --no-cost           do not measure the cost of a tick, which takes a
                          tenth of a second of CPU time
  -h, --help              this text

A user's profiles are shown only to that user and to root.  Programs that
profile themselves are only counted.  The kernel decides what a
user may profile, by kernel.perf_event_paranoid, CAP_PERFMON, and whether the
process is of the same user.  (Yama's ptrace_scope is for debuggers, and has no
effect here.)

The cost of a tick is the time for which it interrupts a loop that is being
profiled, so it includes everything that the kernel does at a tick.

The exit status is 0 if everything works, 1 if something does not, 2 for wrong
usage.

Examples:
  profil status
  sudo profil status
  profil status --cost -p 4711            what would a profile of 4711 cost?
  profil status --json | jq '.abilities[] | select(.can | not)'
)help";
}

int status_main(const std::vector<std::string> &arguments)
{
	CLI::App app("", name);
	bool json = false;
	Measurements wanted;

	app.add_flag("--json", json);
	CLI::Option *cost = app.add_flag("--cost", wanted.switches);
	CLI::Option *pid = app.add_option("-p,--pid", wanted.pid)->check(positive_count())->needs(cost);
	app.add_option("-F,--freq", wanted.rate)->check(positive_number())->needs(pid);
	app.add_flag("--no-cost", wanted.no_tick)->excludes(cost);
	if (const std::optional<int> status = parse_arguments(app, arguments, status_help()))
		return *status;

	const Status status = find_out(wanted);

	if (const int printed = print(name, json ? status_json(status) : status_text(status));
	    printed != exit_ok)
		return printed;
	return status.well() ? exit_ok : exit_failure;
}

} // namespace cli
