// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/options.h"

#include "cli/base/file_name.h"
#include "cli/commands/record/control.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr char name[] = "profil record";
constexpr double ms_per_second = 1e3;
constexpr double shortest_slice = 0.01;

/** @p value if the option was given. */
template <typename T> std::optional<T> given(const CLI::App &app, const char *option, T value)
{
	return app.count(option) ? std::optional<T>(value) : std::nullopt;
}

/** For CLI11: a number above 0, or -1. */
CLI::Validator delay_or_disabled()
{
	return CLI::Validator(
		[](std::string &text) -> std::string {
			if (text == "-1" || positive_number()(text).empty())
				return "";
			return fmt::format("'{}' is neither a number above 0 nor -1", text);
		},
		"");
}

std::optional<int> check(const RecordOptions &options)
{
	const bool again = options.loop || options.snapshot;

	if (options.loop && *options.loop < 1)
		return usage_error(name, "--loop must be a second or more, as file names have whole seconds");
	if (options.slice && *options.slice < shortest_slice)
		return usage_error(name, "--slice must be 10ms or more");
	if (options.keep && !options.loop)
		return usage_error(name, "--keep is for the files of --loop: give --loop, too");
	if (again && options.output == "-")
		return usage_error(name, "--loop and --snapshot need a file (-o FILE)");
	if (options.control && options.loop)
		return usage_error(name, "give either --control or --loop, not both");
	if (options.disabled && !options.control)
		return usage_error(name, "-D -1 waits for a command: give --control, too");
	if (options.loop && !tells_time(options.output))
		return usage_error(name, "--loop needs %t in the name of its files, or each would "
					 "replace the last (-o profil-%t.pb.gz)");
	return std::nullopt;
}

} // namespace

std::string record_help()
{
	return R"help(Usage: profil record [options] -p PID[,PID...]
       profil record [options] [--] COMMAND [ARGUMENTS...]

Count where processes spend their CPU time, until they or COMMAND end, -d is
over, or Ctrl-C; then write a profile in pprof's format.  'profil report' shows
it.

)help" + target_help() +
	       R"help(
Time and output:
  -d, --duration TIME     end after this time: 10, 1.5s, 5m; a command that
                          profil has started keeps running
  -D, --delay MS          leave out the first milliseconds; -1: count nothing
                          until enabled by --control
  -o, --output FILE       write the profile to FILE (default profil.pb.gz), and
                          keep an existing one as FILE.old; -: standard output,
                          which the command shares
      --loop TIME         write a file each time TIME has passed; -o needs %t
      --keep N            with --loop: keep the last N files only
      --checkpoint TIME   how often to save the profile so far in FILE.part, in
                          case profil is killed (default 1m)
      --slice TIME        also store the time of samples, in slices of TIME;
                          'report --html' shows the slices, and --from and --to
                          select some
      --snapshot          at each SIGUSR1, write the profile so far, and go on;
                          %t is the time of the snapshot then
      --control fifo:CTL[,ACK]
                          read the commands enable, disable, snapshot, stop and
                          ping, one per line, from the FIFO CTL, and acknowledge
                          each by "ack" in the FIFO ACK; fd:CTL[,ACK] takes
                          descriptors of open files
      --per-thread        also add up the samples of each thread
      --lines             store the source lines of all samples; by default,
                          reports read some of them from the objects' files,
                          which makes recording faster: see profil(1)
  -h, --help              this text
In FILE, %t is the start time (UTC), %p the PID of the first process of -p or of
the command, or else of profil, %h the machine's name, %% a percent sign.

The exit status is 0 if something was recorded, 1 if not, 2 for wrong usage.
With a command, it is the command's exit status, or 128 plus the number of the
signal that killed it.  A second Ctrl-C aborts without writing.

Examples:
  profil record -p 4711 -d 10             ten seconds of process 4711
  profil record --name '^nginx' -d 1m     all processes with such a name
  profil record -- make -j8               a command and everything it starts
  profil record -a -- make -j8            all processes, while a command runs
  profil record -a --loop 1h -o '%h-%t.pb.gz'
                                          all processes, one file per hour
  profil record -a --slice 1s --loop 1m --keep 10 -o 'last-%t.pb.gz'
                                          the last ten minutes, by seconds
  profil report                           show the profile
)help";
}

std::optional<int> parse_record_options(const std::vector<std::string> &arguments, RecordOptions &options)
{
	double seconds = 0;
	double delay = 0;
	double loop = 0;
	double slice = 0;
	std::string control;
	bool lines = false;
	CLI::App app("", name);
	TargetParser targets(name, app, options.target);

	add_duration(app, "-d,--duration", seconds);
	add_duration(app, "--loop", loop);
	add_duration(app, "--checkpoint", options.checkpoint);
	add_duration(app, "--slice", slice);
	app.add_option("--keep", options.keep)->check(positive_count());
	app.add_option("-D,--delay", delay)->check(delay_or_disabled());
	app.add_option("--control", control)->check(CLI::Validator(why_no_control, ""));
	app.add_flag("--snapshot", options.snapshot);
	app.add_flag("--per-thread", options.target.per_thread);
	app.add_flag("--lines", lines);
	app.add_option("-o,--output", options.output)->check(CLI::Validator(why_no_pattern, ""));
	if (const std::optional<int> status = parse_arguments(app, targets.own(arguments), record_help()))
		return status;
	if (const std::optional<int> status = targets.finish())
		return status;
	options.seconds = given(app, "--duration", seconds);
	options.disabled = delay < 0;
	if (!options.disabled)
		options.delay = given(app, "--delay", delay / ms_per_second);
	options.control = given(app, "--control", control);
	options.loop = given(app, "--loop", loop);
	options.slice = given(app, "--slice", slice);
	options.lines = lines ? Lines::Stored : Lines::OfFewPlaces;
	return check(options);
}

} // namespace cli
