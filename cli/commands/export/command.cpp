// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/numbers.h"
#include "cli/base/output_file.h"
#include "cli/base/stream.h"
#include "cli/commands/export/export.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"
#include "cli/profile/profile_file.h"
#include "cli/profile/short_names.h"
#include "cli/symbols/later_lines.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>

namespace cli {
namespace {

constexpr char name[] = "profil export";
constexpr char standard_output[] = "-";
constexpr char gmon_name[] = "gmon.out";

struct ExportOptions {
	const ExportFormat *format = nullptr;
	std::string output = standard_output;
	std::string file = default_profile_file;
	std::string value; /**< the type of the values to write; empty: the file's default */
	std::string root;  /**< a directory that is put before the paths of objects */
	bool full_names = false;
};

const ExportFormat *format_of(std::string_view text)
{
	const auto formats = export_formats();
	const auto found = std::find_if(formats.begin(), formats.end(),
					[text](const ExportFormat &format) { return format.name == text; });

	return found == formats.end() ? nullptr : &*found;
}

/** "callgrind, csv or folded" */
std::string format_names()
{
	const auto formats = export_formats();
	std::string text;

	for (size_t i = 0; i < formats.size(); i++)
		text += fmt::format("{}{}",
				    !i			     ? ""
				    : i + 1 < formats.size() ? ", "
							     : " or ",
				    formats[i].name);
	return text;
}

std::string why_no_format(const std::string &text)
{
	return format_of(text) ? "" : fmt::format("'{}' is not {}", text, format_names());
}

std::string format_table()
{
	std::string text = fmt::format("  {:<12}  {}\n", "FORMAT", "opened by");

	for (const ExportFormat &format : export_formats())
		text += fmt::format("  {:<12}  {}\n", format.name, format.tools);
	return text;
}

std::optional<int> parse(const std::vector<std::string> &arguments, ExportOptions &options)
{
	std::string format;
	bool list = false;
	CLI::App app("", name);

	app.add_option("--format", format)->check(CLI::Validator(why_no_format, ""));
	app.add_option("-o,--output", options.output);
	app.add_option("--symfs", options.root);
	app.add_option("--value", options.value);
	app.add_flag("-v,--full-names", options.full_names);
	app.add_flag("--list", list);
	app.add_option("file", options.file);
	if (const std::optional<int> status = parse_arguments(app, arguments, export_help()))
		return status;
	if (list)
		return print(name, format_table());
	if (format.empty())
		return usage_error(name, fmt::format("--format is missing: {}", format_names()));
	options.format = format_of(format);
	if (!options.format->write && options.output == standard_output && app.count("--output"))
		return usage_error(name, "gmon writes several files, which standard output cannot hold");
	return std::nullopt;
}

int fail(const std::string &text)
{
	write_message(fmt::format("{}: {}\n", name, printable(text)));
	return exit_failure;
}

Outcome write_file(const std::string &path, const std::string &content)
{
	const Result<OutputFile> file = OutputFile::prepare(path);

	return file ? file->write(content) : file.error();
}

int write_one(const Profile &profile, const ExportOptions &options)
{
	const Result<std::string> content = options.format->write(profile);

	if (!content)
		return fail(profile_file_name(options.file) + ": " + content.error().text);
	if (options.output == standard_output && !options.format->binary)
		return print(name, *content);

	const Outcome written = write_file(options.output, *content);

	return written ? exit_ok : fail(written.error().text + " (choose another file with -o)");
}

/** The path of gmon.out: in the directory @p output, or @p output itself. */
std::string gmon_path(const std::string &output)
{
	struct stat about;

	if (output == standard_output)
		return gmon_name;
	if (!stat(output.c_str(), &about) && S_ISDIR(about.st_mode))
		return output + "/" + gmon_name;
	return output;
}

int write_gmon(const Profile &profile, const ExportOptions &options)
{
	const Result<GmonFiles> gmon = export_gmon(profile);
	const std::string path = gmon_path(options.output);
	std::string text;

	if (!gmon)
		return fail(profile_file_name(options.file) + ": " + gmon.error().text);
	for (const GmonOut &file : gmon->files) {
		if (const Outcome written = write_file(path + file.name, file.content); !written)
			return fail(written.error().text + " (choose another name with -o)");
		text += fmt::format("{}: {} of {}\n", printable(path + file.name),
				    counted_noun(file.samples, "sample"), printable(file.object));
	}
	if (gmon->elsewhere)
		write_message(fmt::format("{}: {} outside all objects, not written to any file\n", name,
					  counted_noun(gmon->elsewhere, "sample")));
	return print(name, text);
}

} // namespace

std::string export_help()
{
	return fmt::format(R"help(Usage: profil export --format FORMAT [-o FILE] [PROFILE]

Write PROFILE (default profil.pb.gz; -: standard input) in a format that other
tools read:

{}
      --format FORMAT    one of these
  -o, --output FILE      write to FILE instead of standard output
  -v, --full-names       functions with their parameters, return types and
                         template arguments; pprof's format always has both, and
                         gmon the linker's names
      --symfs DIR        look for the objects below DIR; their lines are read
                         if they are not in PROFILE (see 'profil record')
      --value TYPE       write these values of another tool's profile
      --list             list the formats, and the programs that open them
  -h, --help             this text

Every format contains all samples (gmon: those in an object).  A profile from
'profil record' is flat: a stack is the function and what was inlined in it.
The stacks in other tools' profiles are kept if the format has stacks.

gmon       one file for each object: gmon.out for the program, and gmon.out.NAME
           for shared objects; -o names a directory, or a file other than
           gmon.out.
           Read one with 'gprof OBJECT FILE'.
perf-script
           has a record for each sample, because some readers count records and
           others add up periods.  The times only order the records: a flat
           profile has no times.
           If the samples do not fit into 1 GiB, use folded.
csv        puts an apostrophe before text that a spreadsheet would run as a
           formula.
firefox    has times like those of perf-script.

Examples:
  profil export --format folded | flamegraph.pl >flame.svg
  profil export --format callgrind -o callgrind.out && kcachegrind callgrind.out
  profil export --format gmon && gprof ./program gmon.out
)help",
			   format_table());
}

int export_main(const std::vector<std::string> &arguments)
{
	ExportOptions options;

	if (const std::optional<int> status = parse(arguments, options))
		return *status;

	Result<Profile> profile = read_profile(options.file, options.value);

	if (!profile)
		return fail(profile.error().text);
	if (options.format->write)
		tell(name, texts_of(add_lines(*profile, options.root)));
	if (!options.full_names && !options.format->keeps_names)
		shorten_names(*profile);
	return options.format->write ? write_one(*profile, options) : write_gmon(*profile, options);
}

} // namespace cli
