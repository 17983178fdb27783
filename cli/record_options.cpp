// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/record_options.h"

#include "cli/arguments.h"
#include "cli/subcommands.h"
#include "cli/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr char name[] = "profil record";
constexpr double ns_per_second = 1e9;
constexpr double longest_period = 3600 * ns_per_second;

CLI::Validator process_id()
{
	return CLI::Validator(
		[](const std::string &text) -> std::string {
			pid_t pid = 0;
			const char *end = text.data() + text.size();
			const auto [stop, error] = std::from_chars(text.data(), end, pid);

			if (error == std::errc() && stop == end && pid > 0)
				return "";
			return fmt::format("'{}' is not a process ID", text);
		},
		"");
}

/* The first "--" and what follows it, which is not for us to understand. */
std::vector<std::string> split_at_mark(std::vector<std::string> &arguments)
{
	const auto mark = std::find(arguments.begin(), arguments.end(), "--");
	std::vector<std::string> rest(mark, arguments.end());

	arguments.erase(mark, arguments.end());
	return rest;
}

void drop_repeated(std::vector<pid_t> &pids)
{
	std::vector<pid_t> unique;

	for (const pid_t pid : pids) {
		if (std::find(unique.begin(), unique.end(), pid) == unique.end())
			unique.push_back(pid);
	}
	pids = std::move(unique);
}

std::optional<int> check(const RecordOptions &options, bool has_mark)
{
	if (has_mark && options.command.empty())
		return usage_error(name, "there is no command after --");
	if (!options.pids.empty() && !options.command.empty())
		return usage_error(name, "give either -p or a command, not both");
	if (options.pids.empty() && options.command.empty())
		return usage_error(name, "what is to be profiled? Give -p PID or -- COMMAND");
	return std::nullopt;
}

} // namespace

std::string record_help()
{
	return R"help(Usage: profil record [options] -p PID[,PID...]
       profil record [options] [--] COMMAND [ARGUMENTS...]

Count where processes spend their CPU time, with all their threads, the children
that they fork and the programs that these execute, until they end, -d is over,
or Ctrl-C; then write a profile in pprof's format.  'profil report' shows it.

  -p, --pid PID[,PID...]  profile these processes
  -d, --duration SECONDS  end after so long; a command runs on
  -F, --freq HZ           samples in each second of CPU time (default 999)
  -o, --output FILE       where the profile goes (default profil.pb.gz); -: to
                          standard output, to which a command may write, too
      --kernel            count time in the kernel, too, at the instruction that
                          called it; by default it is not counted
  -h, --help              this text

The exit status is 0 when something was recorded, 1 when not, 2 for wrong usage.
With a command it is that of the command, or 128 and the number of the signal
that killed it.

Examples:
  profil record -p 4711 -d 10             ten seconds of process 4711
  profil record -p "$(pgrep -d, nginx)"   all processes of that name
  profil record -- make -j8               a command and all that it starts
  profil report                           what came of it
)help";
}

std::optional<int> parse_record_options(const std::vector<std::string> &arguments, RecordOptions &options)
{
	std::vector<std::string> own = arguments;
	const std::vector<std::string> rest = split_at_mark(own);
	double seconds = 0;
	CLI::App app("", name);

	app.prefix_command();
	app.add_option("-p,--pid", options.pids)
		->delimiter(',')
		->allow_extra_args(false)
		->check(process_id());
	app.add_option("-d,--duration", seconds)->check(positive_number());
	app.add_option("-F,--freq", options.rate)->check(positive_number());
	app.add_option("-o,--output", options.output);
	app.add_flag("--kernel", options.kernel_ticks);
	if (const std::optional<int> status = parse_arguments(app, own, record_help()))
		return status;

	/* What is no option begins the command, even without "--". */
	options.command = app.remaining();
	if (!options.command.empty() && options.command.front().starts_with('-'))
		return usage_error(name, fmt::format("there is no option {}", options.command.front()));
	/* Only before the command's first word is "--" a mark; after that it is one of its words. */
	options.command.insert(options.command.end(),
			       rest.begin() + (options.command.empty() && !rest.empty() ? 1 : 0), rest.end());
	if (app.count("--duration"))
		options.seconds = seconds;
	drop_repeated(options.pids);
	return check(options, !rest.empty());
}

int poll_timeout(double seconds)
{
	return static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 3600.0) * 1e3));
}

Result<uint64_t> choose_period(double rate, const profil_info &info)
{
	const double period = std::round(ns_per_second / rate);

	if (period < static_cast<double>(info.period_min))
		return Error{fmt::format(
			"{} is above the limit of {} for you (use -F; CAP_PERFMON raises it, and the "
			"module's parameters max_rate and max_user_rate)",
			rate_text(rate),
			rate_text(std::floor(ns_per_second / static_cast<double>(info.period_min))))};
	if (period > longest_period)
		return Error{
			fmt::format("{} is below the limit of one sample an hour (use -F)", rate_text(rate))};
	return static_cast<uint64_t>(period);
}

} // namespace cli
