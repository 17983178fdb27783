// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/options.h"

#include "cli/commands/top/keys.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"
#include "cli/rows/event_order.h"
#include "cli/rows/view_options.h"

#include <CLI/CLI.hpp>

namespace cli {
namespace {

constexpr char name[] = "profil top";
constexpr double ms_per_second = 1e3;

/** Arguments as given, not parsed yet. */
struct Words {
	ViewWords view;
	std::string file;
	std::string color = "auto";
	double start_delay = 0;
	uint64_t iterations = 0;
};

void add_options(CLI::App &app, Words &words, TopOptions &options)
{
	add_view_options(app, words.view);
	app.add_option("--order", options.order);
	add_duration(app, "-d,--delay", options.delay);
	app.add_option("-D,--start-delay", words.start_delay)->check(positive_number());
	app.add_flag("-b,--batch", options.batch);
	app.add_option("-n,--iterations", words.iterations)->check(positive_count());
	app.add_option("--limit", options.rows)->check(positive_count());
	app.add_option("-i,--input", words.file);
	app.add_option("--color", words.color)->check(color_word());
}

/** Refuse options for profiling, because nothing is profiled with --input. */
std::optional<int> check_file(const CLI::App &app, const TargetParser &targets)
{
	if (targets.given() || targets.how_given() || app.count("--start-delay"))
		return usage_error(name, "give either --input or what to profile, not both");
	if (app.remaining().empty())
		return std::nullopt;

	const std::string rest = app.remaining().front();

	return usage_error(name, unexpected_argument(app, rest));
}

/** Check --order early: the names of the events are known before the first sample. */
std::optional<int> check_order(const TopOptions &options)
{
	std::vector<std::string> events;

	for (const Event &event : options.target.events)
		events.push_back(event.name);
	if (const Result<size_t> order = find_top_order(options.order, events); !order)
		return usage_error(name, order.error().text);
	return std::nullopt;
}

std::string keys_help()
{
	std::string text;

	for (const std::string &line : top_key_lines())
		text += line + '\n';
	return text;
}

} // namespace

std::string top_help()
{
	return R"help(Usage: profil top [options] -p PID[,PID...] | --name REGEX | -u USER | ...

Show where processes spend their CPU time while they run: the functions with the
most samples, their share of all samples since the start ('%'), and the samples
and share since the last refresh ('delta', 'now %').  The lines below the table
show the outcome of every tick of the clock, and what could not be profiled.

)help" + target_help(false, "16M") +
	       R"help(
What to show:
)help" + view_help() +
	       R"help(      --order EVENT     sort by this event instead of the first.  The count,
                        'delta' and 'now %' are those of this event, and each
                        other event has a column with its share

Refreshes and output:
  -d, --delay TIME        time between refreshes: 1 (default), 0.5, 500ms, 1m
  -D, --start-delay MS    leave out the first milliseconds
  -n, --iterations N      end after N refreshes
  -b, --batch             print each refresh as text, for pipes and files
      --limit N           print N rows of each (default 20)
      --color WHEN        auto (default: on a terminal, unless NO_COLOR is set
                          or TERM is unset or dumb), always or never
  -i, --input FILE        show a profile from 'profil record', or any other
                          file in pprof's format, instead
  -h, --help              this text

Keys:
)help" + keys_help() +
	       R"help(
Names come from symbols.  Reading the debug information of large programs takes
seconds, so it is used only for --sort inlined or line, and for --filter file=;
otherwise --filter function= does not match inlined functions.  Every refresh
reads all counters, so there are fewer of them than in 'profil record'.

Ctrl-C also ends it.  The exit status is 0, 1 if nothing can be shown, or 2 for
wrong usage.

Examples:
  profil top -p 4711
  profil top --name '^nginx' --per-process
  profil top -a --sort object -d 5
  profil top --batch -n 1 -d 10 -p 4711
  profil top -a -e page-faults,context-switches
)help";
}

Result<size_t> find_top_order(const std::string &order, const std::vector<std::string> &events)
{
	EventColumns columns;

	if (order.empty())
		return size_t{0};
	if (events.size() > 1)
		columns.names = events;

	const Result<EventOrder> found = find_order(columns, {}, order);

	if (!found)
		return found.error();
	return std::get<size_t>(*found);
}

std::optional<int> parse_top_options(const std::vector<std::string> &arguments, TopOptions &options)
{
	Words words;
	CLI::App app("", name);
	TargetParser targets(name, app, options.target, false);

	add_options(app, words, options);
	if (const std::optional<int> status = parse_arguments(app, targets.own(arguments), top_help()))
		return status;
	if (const std::optional<int> status =
		    app.count("--input") ? check_file(app, targets) : targets.finish())
		return status;
	if (options.target.per_process)
		options.view.keys = {SortKey::Process, SortKey::Function};
	if (const std::optional<int> status = understand_view(name, app, words.view, options.view))
		return status;
	if (app.count("--input"))
		options.file = words.file;
	else if (const std::optional<int> status = check_order(options))
		return status;
	if (app.count("--iterations"))
		options.iterations = words.iterations;
	if (!options.target.memory)
		options.target.memory = TopOptions::default_memory;
	options.start_delay = words.start_delay / ms_per_second;
	options.color = *color_when(words.color);
	return std::nullopt;
}

} // namespace cli
