// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/options.h"

#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"
#include "cli/profile/profile_file.h"
#include "cli/rows/view_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr char name[] = "profil report";

/** Arguments as given, not parsed yet. */
struct Words {
	std::vector<std::string> files;
	std::vector<std::string> inputs;
	std::string by;
	ViewWords view;
	std::string base;
	std::string color = "auto";
	std::string html;
	std::vector<std::string> prefixes;
	bool no_source = false;
	size_t limit = 0;
};

CLI::Validator one_view()
{
	return CLI::Validator(
		[](const std::string &text) -> std::string {
			if (text == "function" || text == "object" || text == "address")
				return "";
			return fmt::format("'{}' is not function, object or address", text);
		},
		"");
}

CLI::Validator percentage()
{
	return CLI::Validator(
		[](const std::string &text) -> std::string {
			double value = 0;
			const char *end = text.data() + text.size();
			const auto [stop, error] = std::from_chars(text.data(), end, value);

			if (error == std::errc() && stop == end && value >= 0 && value <= 100)
				return "";
			return fmt::format("'{}' is not a number from 0 to 100", text);
		},
		"");
}

std::string why_no_prefix(const std::string &text)
{
	const Result<PathPrefix> prefix = parse_path_prefix(text);

	return prefix ? "" : prefix.error().text;
}

void add_options(CLI::App &app, Words &words, ReportOptions &options)
{
	app.add_option("file", words.files);
	app.add_option("-i,--input", words.inputs)->allow_extra_args(false);
	app.add_option("--by", words.by)->check(one_view());
	add_view_options(app, words.view);
	app.add_flag("--stdio");
	app.add_option("--value", options.value);
	app.add_option("--ratio", options.ratios)->delimiter(',')->allow_extra_args(false);
	app.add_option("--order", options.order);
	add_duration(app, "--from", options.time.from);
	add_duration(app, "--to", options.time.to);
	app.add_option("--base", words.base)->expected(0, 1);
	app.add_option("--limit", words.limit)->check(positive_count());
	app.add_option("--percent-limit", options.percent_limit)->check(percentage());
	app.add_option("--color", words.color)->check(color_word());
	app.add_flag("--json", options.json);
	app.add_option("--html", words.html);
	app.add_option("--symfs", options.page.code.root);
	app.add_option("--source-dir", options.page.directories)->allow_extra_args(false);
	app.add_option("--path-prefix", words.prefixes)
		->allow_extra_args(false)
		->check(CLI::Validator(why_no_prefix, ""));
	app.add_flag("--no-source", words.no_source);
}

std::optional<int> understand_rows(const CLI::App &app, const Words &words, View &view)
{
	if (app.count("--by") && app.count("--sort"))
		return usage_error(name, "give either --by or --sort, not both");
	/* The parser has checked the word. */
	if (app.count("--by"))
		view.keys = *parse_sort_keys(words.by);
	return understand_view(name, app, words.view, view);
}

std::optional<int> understand_page(const CLI::App &app, const Words &words, ReportOptions &options)
{
	if (!app.count("--html")) {
		for (const char *option : {"--source-dir", "--path-prefix", "--no-source"}) {
			if (app.count(option))
				return usage_error(name, fmt::format("{} needs --html", option));
		}
		return std::nullopt;
	}
	if (options.json)
		return usage_error(name, "give either --html or --json, not both");
	if (app.count("--color"))
		return usage_error(name, "--color is for the table, not for --html");
	options.html = words.html;
	options.page.source = !words.no_source;
	for (const std::string &prefix : words.prefixes)
		options.page.prefixes.push_back(*parse_path_prefix(prefix));
	return std::nullopt;
}

std::optional<int> understand_files(const CLI::App &app, const Words &words, ReportOptions &options)
{
	options.files = words.inputs;
	options.files.insert(options.files.end(), words.files.begin(), words.files.end());
	if (options.files.empty())
		options.files = {default_profile_file};
	if (app.count("--base"))
		options.base = words.base.empty() ? options.files.front() + ".old" : words.base;

	const auto inputs = std::count(options.files.begin(), options.files.end(), "-");

	if (inputs + (options.base == "-" ? 1 : 0) > 1)
		return usage_error(name, "standard input can be read only once");
	return std::nullopt;
}

} // namespace

std::string report_help()
{
	return R"help(Usage: profil report [options] [FILE...]

Show where the time went: a flat profile of FILE (default profil.pb.gz), the
most samples first, and the outcome of every tick of the clock.  Several FILEs
are added up.  FILE is a profile that 'profil record' wrote, any other file in
pprof's format, or the output of 'perf script'; -: standard input.

  -i, --input FILE      the same as FILE
)help" + view_help() +
	       R"help(      --by KEY          the same as --sort with one key: function, object or
                        address
      --stdio           the default; accepted for users of perf
      --value TYPE      show these values: an event, or what another tool has
                        counted, such as alloc_space; by default samples, or
                        those that the tool has marked
      --ratio A/B       add a column with one event divided by another, such as
                        cache-misses/instructions; may be repeated.
                        Instructions per cycle (IPC) are always shown; with
                        --base the ratio in both, and its change in percent
      --order EVENT     sort rows by this event or ratio, such as IPC, highest
                        first; by default by samples, or with --base by the
                        difference; the page of --html shows this event first
      --base [FILE]     show the differences from FILE, the greatest first; by
                        default from FILE.old, the one that 'profil record'
                        replaced
      --from TIME       show only samples later than TIME after the start, such
                        as 90s; percentages are of these samples; FILE must have
                        slices of time (see 'profil record --slice')
      --to TIME         show only samples earlier than TIME
      --limit N         show only the first N rows
      --percent-limit P show only rows with P percent or more, with --order of
                        that event
      --color WHEN      auto (default: on a terminal, unless NO_COLOR is set or
                        TERM is unset or dumb), always or never
      --json            print a JSON document instead of a table, as
                        described by report.schema.json
      --html OUT        write a page for a browser to the file OUT; -: standard
                        output
      --symfs DIR       look for the objects below DIR; their lines are read if
                        they are shown and not in FILE (see 'profil record')
  -h, --help            this text

With --html also:
      --no-source       put no source text into the page
      --source-dir DIR  also look for sources below DIR, by shorter and shorter
                        parts of their path; may be repeated
      --path-prefix OLD=NEW
                        look for sources whose path begins with OLD at NEW; may
                        be repeated

REGEX is a POSIX extended regular expression, as for grep -E; it need only match
a part of the name.  Percentages are of all samples, even if a filter is given.

Time spent in inlined functions is shown for the function they are inlined in,
unless --sort has inlined or line.  A function without a name is shown as
object+0xADDRESS, with its start address in the object's file, as objdump and
addr2line show it.

The page of --html is a single file, which loads nothing from elsewhere.  It has
a chart of objects, functions and lines; the table; the functions with the most
samples, with source and instructions as in 'profil annotate'; samples by
address; and the outcome of every tick.  --sort, --filter and the limits mean
the same; the chart always shows objects, functions and lines.  If there are
several events, you choose in the page which one it shows; with --base, only
events of both profiles.  The page has no ratios.  It contains
source text: consider that before you give it to anyone.  With --base its table
has the shares before and now, and everything with a larger or smaller share
than before is coloured, unless chance explains the difference.

With --base, the columns are the shares of all samples, before and now, and
their difference in percentage points, so rates and durations may differ.  Rows
match if they show the same.  Objects match if their paths are equal, or if
each profile has only one remaining object with their base name.  Functions
match if their names are equal, or if each profile has only one remaining
function with that name, whatever its parameters.  Source files match by base
name.  'new' and 'gone' mark rows that only one profile has.  Rows without a
name match by address, so only in the same build.  To match the processes of
two runs, use --sort command, not process.

A * marks differences that chance does not explain: Fisher's exact test of the
row's samples against all others, two-sided (twice the smaller tail), or for
large numbers its normal approximation with Yates' correction; p < 0.01 after
Holm's correction for the number of rows.  When a program is compared with
itself, at most one comparison in a hundred has any wrong mark.  The test covers
only chance in sampling.  To average out what varies from run to run, add up
several runs.

If both profiles have several events, each common event is compared and tested
separately, by its samples, and corrected for the number of rows that have it.
The samples are those of the first common event.  Events that only one profile
has are not compared.  The changes of ratios are not tested.

Examples:
  profil report
  profil report --sort object,function --percent-limit 1
  profil report --sort line --filter file=parser --filter 'function!=^std::'
  profil report --base before.pb.gz after.pb.gz
  profil report --html report.html --source-dir ~/src/program
  profil report --html change.html --base before.pb.gz after.pb.gz
  profil report run1.pb.gz run2.pb.gz run3.pb.gz
  go tool pprof -top profil.pb.gz
)help";
}

std::optional<int> parse_report_options(const std::vector<std::string> &arguments, ReportOptions &options)
{
	Words words;
	CLI::App app("", name);

	add_options(app, words, options);
	if (const std::optional<int> status = parse_arguments(app, arguments, report_help()))
		return status;
	if (options.time.from >= options.time.to)
		return usage_error(name, "--from must be before --to");
	if (words.limit)
		options.rows = words.limit;
	options.color = *color_when(words.color);
	if (const std::optional<int> status = understand_rows(app, words, options.view))
		return status;
	if (const std::optional<int> status = understand_page(app, words, options))
		return status;
	return understand_files(app, words, options);
}

} // namespace cli
