// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/options.h"

#include "cli/base/file_name.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"

namespace cli {
namespace {

constexpr char name[] = "profil record";
constexpr double ms_per_second = 1e3;

/** What is there if it was given. */
template <typename T> std::optional<T> given(const CLI::App &app, const char *option, T value)
{
	return app.count(option) ? std::optional<T>(value) : std::nullopt;
}

std::optional<int> check(const RecordOptions &options)
{
	const bool again = options.loop || options.snapshot;

	if (options.loop && *options.loop < 1)
		return usage_error(name, "--loop is of a second or more, for names tell whole seconds");
	if (again && options.output == "-")
		return usage_error(name, "--loop and --snapshot need a file (-o FILE)");
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

Count where processes spend their CPU time, until they end, -d is over, or
Ctrl-C; then write a profile in pprof's format.  'profil report' shows it.

)help" + target_help() +
	       R"help(
When, and where to:
  -d, --duration TIME     end after so long: 10, 1.5s, 5m; a command runs on
  -D, --delay MS          leave the first milliseconds out
  -o, --output FILE       where the profile goes (default profil.pb.gz); -: to
                          standard output, to which a command may write, too
      --loop TIME         write a file after each such time; -o has %t in it
      --snapshot          write what there is at each SIGUSR1, and go on
      --lines             store the names and source lines of all samples: else
                          reports read from an object's file what takes time;
                          see profil(1)
  -h, --help              this text
In FILE, %t is the time at which it begins (UTC), %p the first process of -p or
the command's, or else profil's own, %h the machine's name, %% a percent sign.

The exit status is 0 when something was recorded, 1 when not, 2 for wrong usage.
With a command it is that of the command, or 128 and the number of the signal
that killed it.  A second Ctrl-C aborts, and writes nothing.

Examples:
  profil record -p 4711 -d 10             ten seconds of process 4711
  profil record --name '^nginx' -d 1m     all processes of such a name
  profil record -- make -j8               a command and all that it starts
  profil record -a --loop 1h -o '%h-%t.pb.gz'
                                          everything, a file an hour
  profil report                           what came of it
)help";
}

std::optional<int> parse_record_options(const std::vector<std::string> &arguments, RecordOptions &options)
{
	double seconds = 0;
	double delay = 0;
	double loop = 0;
	bool lines = false;
	CLI::App app("", name);
	TargetParser targets(name, app, options.target);

	add_duration(app, "-d,--duration", seconds);
	add_duration(app, "--loop", loop);
	app.add_option("-D,--delay", delay)->check(positive_number());
	app.add_flag("--snapshot", options.snapshot);
	app.add_flag("--lines", lines);
	app.add_option("-o,--output", options.output)->check(CLI::Validator(why_no_pattern, ""));
	if (const std::optional<int> status = parse_arguments(app, targets.own(arguments), record_help()))
		return status;
	if (const std::optional<int> status = targets.finish())
		return status;
	options.seconds = given(app, "--duration", seconds);
	options.delay = given(app, "--delay", delay / ms_per_second);
	options.loop = given(app, "--loop", loop);
	options.lines = lines ? Lines::Stored : Lines::OfFewPlaces;
	return check(options);
}

} // namespace cli
