// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/arguments.h"
#include "cli/profile_file.h"
#include "cli/report.h"
#include "cli/stream.h"
#include "cli/subcommands.h"
#include "cli/text.h"

#include <fmt/format.h>
#include <optional>

namespace cli {
namespace {

constexpr char name[] = "profil report";

struct ReportOptions {
	By by = By::Function;
	bool json = false;
	ReportStyle style;
};

std::optional<By> view_of(const std::string &text)
{
	for (const By by : {By::Function, By::Object, By::Address}) {
		if (text == by_name(by))
			return by;
	}
	return std::nullopt;
}

std::string why_no_view(const std::string &text)
{
	return view_of(text) ? "" : fmt::format("'{}' is not function, object or address", text);
}

std::optional<int> parse(const std::vector<std::string> &arguments, ReportOptions &options)
{
	std::string by = by_name(By::Function);
	size_t limit = 0;
	CLI::App app("", name);

	options.style.file = default_profile_file;
	app.add_option("file", options.style.file);
	app.add_option("--by", by)->check(CLI::Validator(why_no_view, ""));
	app.add_option("--limit", limit)->check(positive_count());
	app.add_flag("--json", options.json);
	if (const std::optional<int> status = parse_arguments(app, arguments, report_help()))
		return status;
	options.by = *view_of(by);
	if (limit)
		options.style.rows = limit;
	return std::nullopt;
}

int fail(const std::string &text)
{
	write_message(fmt::format("{}: {}\n", name, printable(text)));
	return exit_failure;
}

} // namespace

std::string report_help()
{
	return R"help(Usage: profil report [options] [FILE]

Show where the time went: a flat profile of FILE (default profil.pb.gz), most
samples first, and what became of every tick of the clock.  Reads what 'profil
record' writes, and any other file in pprof's format; from standard input if
FILE is -.

      --by WHAT     function (default), object or address
      --limit N     the first N rows only
      --json        a JSON document instead of a table
  -h, --help        this text

Time that was spent in inlined functions is shown for the function they are
inlined in.  What has no name is shown as object+0xADDRESS, where the object's
file has its beginning, as objdump and addr2line have it.

Examples:
  profil report
  profil report --by object
  profil report --by address --limit 20 other.pb.gz
  go tool pprof -top profil.pb.gz
)help";
}

int report_main(const std::vector<std::string> &arguments)
{
	ReportOptions options;

	if (const std::optional<int> status = parse(arguments, options))
		return *status;

	const Result<Profile> profile = read_profile(options.style.file);

	if (!profile)
		return fail(profile.error().text);

	const Flat flat = flatten(*profile, options.by);

	options.style.file = profile_file_name(options.style.file);
	options.style.width = terminal_width(STDOUT_FILENO);

	return print(name, options.json ? report_json(*profile, flat, options.style)
					: report_table(*profile, flat, options.style));
}

} // namespace cli
