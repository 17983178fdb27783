// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/target_options.h"

#include "cli/base/numbers.h"
#include "cli/options/arguments.h"
#include "cli/process/process_finder.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr double ns_per_second = 1e9;
constexpr double longest_period = 3600 * ns_per_second;

constexpr std::array how_options = {"--freq",	    "--count",	   "--event",	  "--kernel-at",
				    "--kernel",	    "--user-only", "--no-follow", "--per-process",
				    "--max-memory", "--backend"};

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

/** For CLI11: a number above 0, or "max", which becomes infinity. */
CLI::Validator rate_or_max()
{
	return CLI::Validator(
		[](std::string &text) -> std::string {
			if (text != "max" && !positive_number()(text).empty())
				return fmt::format("'{}' is neither a number above 0 nor max", text);
			if (text == "max")
				text = "inf";
			return "";
		},
		"");
}

CLI::Option *add_ids(CLI::App &app, const std::string &names, std::vector<pid_t> &ids)
{
	return app.add_option(names, ids)->delimiter(',')->allow_extra_args(false)->check(process_id());
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

} // namespace

TargetParser::TargetParser(std::string name, CLI::App &app, TargetOptions &options, bool with_command)
	: name_(std::move(name)), app_(app), options_(options), with_command_(with_command)
{
	Selection &selection = options_.selection;

	app.prefix_command();
	add_ids(app, "-p,--pid", selection.pids);
	add_ids(app, "-t,--tid", threads_);
	app.add_option("--name", selection.names)->allow_extra_args(false);
	app.add_option("-u,--uid", users_)->delimiter(',')->allow_extra_args(false);
	app.add_option("--cgroup", selection.cgroups)->allow_extra_args(false);
	app.add_flag("-a,--all-cpus", selection.everything);
	app.add_option("-F,--freq", options_.rate)->transform(rate_or_max());
	app.add_option("-c,--count", count_)->check(positive_count());
	app.add_option("-e,--event", event_list_)->allow_extra_args(false);
	app.add_option("--kernel-at", kernel_at_)->check(CLI::IsMember({"function", "call"}));
	app.add_flag("--kernel");
	app.add_flag("--user-only");
	app.add_flag("--per-process", options_.per_process);
	app.add_option("--backend", backend_)->check(CLI::IsMember({"module", "perf"}));
	app.add_flag("--no-follow,--no-inherit", [this](int64_t) { options_.follow = false; });
	app.add_option("--max-memory", memory_)->check(positive_count())->transform(CLI::AsSizeValue(false));
}

std::vector<std::string> TargetParser::own(std::vector<std::string> arguments)
{
	const auto mark = std::find(arguments.begin(), arguments.end(), "--");

	after_mark_.assign(mark, arguments.end());
	arguments.erase(mark, arguments.end());
	return arguments;
}

bool TargetParser::how_given() const
{
	return std::any_of(how_options.begin(), how_options.end(),
			   [this](const char *option) { return app_.count(option) > 0; });
}

std::optional<int> TargetParser::find_users()
{
	for (const std::string &user : users_) {
		const Result<uid_t> id = user_id(user);

		if (!id)
			return usage_error(name_, id.error().text);
		options_.selection.users.push_back(*id);
	}
	return std::nullopt;
}

std::optional<int> TargetParser::find_events()
{
	for (const std::string &list : event_list_) {
		Result<std::vector<Event>> events = parse_events(list);

		if (!events)
			return usage_error(name_, events.error().text);
		for (Event &event : *events)
			options_.events.push_back(std::move(event));
	}
	return std::nullopt;
}

std::optional<int> TargetParser::check() const
{
	const Selection &selection = options_.selection;
	const bool processes = !selection.empty();

	if (!after_mark_.empty() && options_.command.empty())
		return usage_error(name_, "there is no command after --");
	if (!with_command_ && !options_.command.empty())
		return usage_error(name_,
				   "cannot run a command: select running processes with -p, --name, -u, "
				   "--cgroup or -a");
	if (!processes && options_.command.empty())
		return usage_error(
			name_, fmt::format("nothing to profile: give -p PID, -t TID, --name REGEX, -u USER, "
					   "--cgroup PATH{}",
					   with_command_ ? ", -a, or -- COMMAND" : " or -a"));
	if (!selection.pids.empty() && selection.searches())
		return usage_error(
			name_,
			"give either processes (-p, -t) or a search (-a, --name, -u, --cgroup), not both");
	if (app_.count("--pid") && app_.count("--tid"))
		return usage_error(name_, "give either -p or -t, not both");
	if (app_.count("--kernel-at") + app_.count("--kernel") + app_.count("--user-only") > 1)
		return usage_error(name_, "give one of --kernel-at, --kernel and --user-only");
	if (app_.count("--freq") && app_.count("--count"))
		return usage_error(name_, "give either -F or -c, not both");
	if (!options_.events.empty() && (app_.count("--freq") || app_.count("--count")))
		return usage_error(name_, "-F and -c are for time; an event's period follows its name "
					  "(-e page-faults:10)");
	for (const Event &event : options_.events)
		if (event.attr.exclude_user && options_.kernel == KernelTime::LeftOut)
			return usage_error(name_, fmt::format("{} counts only in the kernel, which "
							      "--user-only leaves out: give one of them",
							      event.name));
	return std::nullopt;
}

std::optional<int> TargetParser::finish()
{
	std::vector<std::string> &command = options_.command;

	/* The first non-option begins the command, even without "--". */
	command = app_.remaining();
	if (!command.empty() && command.front().starts_with('-'))
		return usage_error(name_, unexpected_argument(app_, command.front()));
	/* "--" is a mark only before the command's first word; after that it belongs to the command. */
	command.insert(command.end(), after_mark_.begin() + (command.empty() && !after_mark_.empty() ? 1 : 0),
		       after_mark_.end());
	if (count_)
		options_.count = count_;
	if (memory_)
		options_.memory = memory_;
	if (app_.count("--kernel") || kernel_at_ == "call")
		options_.kernel = KernelTime::AtCall;
	else if (app_.count("--user-only"))
		options_.kernel = KernelTime::LeftOut;
	if (!backend_.empty())
		options_.backend = backend_ == "perf" ? WantedBackend::Perf : WantedBackend::Module;
	if (!threads_.empty() && options_.selection.pids.empty()) {
		options_.selection.pids = threads_;
		options_.selection.threads = true;
	}
	drop_repeated(options_.selection.pids);
	if (const std::optional<int> status = find_users())
		return status;
	if (const std::optional<int> status = find_events())
		return status;
	return check();
}

std::string target_help(bool with_command, std::string_view memory)
{
	std::string text =
		R"help(What to profile, including all threads, forked children, and the programs that
these execute:
  -p, --pid PID[,PID...]  these processes
  -t, --tid TID[,TID...]  only these threads, without children
      --name REGEX        processes whose name matches, as in pgrep(1)
  -u, --uid USER[,...]    processes of these users
      --cgroup PATH       processes in this cgroup and those below it
  -a, --all-cpus          all processes
)help";

	if (with_command)
		text += "  --  COMMAND             a command, from its first instruction; if targets are\n"
			"                          given above, profile these instead, while the command\n"
			"                          runs\n";
	return text + R"help(      --no-follow         do not profile forked children
A process must match all of --name, -u and --cgroup that are given.  With the
right to record all processes (CAP_PERFMON, or perf_event_paranoid 0), all are
recorded, and those that match are kept, even if they live briefly.  Otherwise
profil searches once a second, and so also finds processes that start or change
their name later.

How:
  -F, --freq HZ           samples per second of CPU time (default 999); max: as
                          many as the module allows
  -c, --count NS          or the CPU time between two samples, in nanoseconds
  -e, --event EVENT[:PERIOD][,...]
                          sample these events instead of time, a column each, by
                          perf's names: page-faults, cycles, mem:0x601040:w,
                          sched:sched_switch, ... ('profil list' shows more)
      --kernel-at WHERE   count time in the kernel by "function" (the default;
                          as [kernel] without the right to see addresses), or at
                          the instruction that made the "call"
      --kernel            the same as --kernel-at call
      --user-only         leave out time in the kernel
      --per-process       distinguish processes by PID, not only by program
      --backend WHAT      sample with the "module" alone, or with "perf" events;
                          by default, with perf events only if the module is
                          missing or may not be used
      --max-memory SIZE   memory limit for counters, such as 64M (default )help" +
	       std::string(memory) + R"help()
)help";
}

Result<uint64_t> choose_period(const TargetOptions &options, const profil_info &info, std::string_view raises)
{
	if (!options.count && std::isinf(options.rate))
		return info.period_min;

	const double period = options.count ? static_cast<double>(*options.count)
					    : std::round(ns_per_second / options.rate);
	const double rate = options.count ? ns_per_second / period : options.rate;

	if (period < static_cast<double>(info.period_min))
		return Error{fmt::format(
			"{} is above the limit of {} (use a lower -F; {})", rate_text(rate),
			rate_text(std::floor(ns_per_second / static_cast<double>(info.period_min))), raises)};
	if (period > longest_period)
		return Error{fmt::format("{} is below the limit of one sample an hour (use a higher -F)",
					 rate_text(rate))};
	return static_cast<uint64_t>(period);
}

} // namespace cli
