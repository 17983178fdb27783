// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/text.h"
#include "cli/base/characters.h"
#include "cli/base/color.h"
#include "cli/base/exit.h"
#include "cli/base/numbers.h"
#include "cli/base/stream.h"
#include "cli/base/terminal.h"
#include "cli/options/arguments.h"
#include "cli/options/subcommands.h"
#include "cli/profile/profile_file.h"
#include "cli/symbols/later_lines.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace cli {
namespace {

constexpr char name[] = "profil annotate";
constexpr size_t default_limit = 3;

struct AnnotateOptions {
	std::string file = default_profile_file;
	std::string function;
	std::string value; /**< the type of the values to show; empty: the file's default */
	size_t limit = default_limit;
	CodeOptions code;
	std::vector<std::string> directories;
	std::vector<PathPrefix> prefixes;
	AnnotationStyle style;
	ColorWhen color = ColorWhen::Auto;
};

std::string why_no_syntax(const std::string &text)
{
	return text == "att" || text == "intel" ? "" : fmt::format("'{}' is not att or intel", text);
}

std::string why_no_prefix(const std::string &text)
{
	const Result<PathPrefix> prefix = parse_path_prefix(text);

	return prefix ? "" : prefix.error().text;
}

/** Bind the options whose values need no conversion. */
void add_options(CLI::App &app, AnnotateOptions &options)
{
	app.add_option("-i,--input", options.file);
	app.add_option("--value", options.value);
	app.add_option("--limit", options.limit)->check(positive_count());
	app.add_option("--symfs", options.code.root);
	app.add_option("--source-dir", options.directories)->allow_extra_args(false);
	app.add_flag("--asm-raw", options.style.raw);
	app.add_flag("-l,--print-line", options.style.summary);
	app.add_flag("-P,--full-paths", options.style.full_paths);
	app.add_flag("--stdio");
}

std::optional<int> parse(const std::vector<std::string> &arguments, AnnotateOptions &options)
{
	CLI::App app("", name);
	std::string color = "auto";
	std::string syntax = "att";
	std::vector<std::string> prefixes;
	bool no_source = false;
	bool no_instructions = false;
	bool full_names = false;

	add_options(app, options);
	CLI::Option *symbol = app.add_option("-s,--symbol", options.function);
	CLI::Option *function = app.add_option("function", options.function);
	app.add_option("-M,--disassembler-style", syntax)->check(CLI::Validator(why_no_syntax, ""));
	app.add_option("--path-prefix", prefixes)
		->allow_extra_args(false)
		->check(CLI::Validator(why_no_prefix, ""));
	app.add_option("--color", color)->check(color_word());
	app.add_flag("--asm-only,--no-source", no_source);
	app.add_flag("--source-only", no_instructions);
	app.add_flag("-v,--full-names", full_names);
	if (const std::optional<int> status = parse_arguments(app, arguments, annotate_help()))
		return status;
	if (symbol->count() && function->count())
		return usage_error(name, "the function is given twice: -s, and " + options.function);
	if (options.function.ends_with(".pb.gz"))
		return usage_error(name, options.function + " is a profile, not a function: use -i " +
						 options.function);
	if (no_source && no_instructions)
		return usage_error(name, "--asm-only and --source-only leave nothing to show");
	for (const std::string &prefix : prefixes)
		options.prefixes.push_back(*parse_path_prefix(prefix));
	options.code.syntax = syntax == "intel" ? Syntax::Intel : Syntax::Att;
	options.color = *color_when(color);
	options.style.names = full_names ? NameLength::Full : NameLength::Short;
	options.style.source = !no_source;
	options.style.instructions = !no_instructions;
	return std::nullopt;
}

/* Print an error.  This keeps newlines, because a list of candidates has a line for each. */
int fail(std::string_view text)
{
	std::string lines;

	while (!text.empty()) {
		const std::string_view line = text.substr(0, text.find('\n'));

		lines += printable(line) + '\n';
		text.remove_prefix(std::min(line.size() + 1, text.size()));
	}
	write_message(fmt::format("{}: {}", name, lines));
	return exit_failure;
}

/** The functions to show: those given by name, or else the hottest. */
Result<std::vector<FunctionSamples>> choose(const Profile &profile, const AnnotateOptions &options)
{
	std::vector<FunctionSamples> functions = functions_of(profile);

	if (!options.function.empty())
		return choose_functions(functions, options.function, options.style.names);
	std::erase_if(functions, [](const FunctionSamples &function) { return !function.own; });
	if (functions.empty())
		return Error{
			fmt::format("{}: no samples: nothing to annotate", profile_file_name(options.file))};
	return functions;
}

/** The notes about the objects of @p functions. */
std::vector<std::string> notes_of(std::vector<FileNote> notes, std::span<const FunctionSamples> functions)
{
	std::erase_if(notes, [&](const FileNote &note) {
		return std::none_of(functions.begin(), functions.end(), [&](const FunctionSamples &function) {
			return function.object == note.object;
		});
	});
	return texts_of(notes);
}

} // namespace

std::string annotate_help()
{
	return R"help(Usage: profil annotate [options] [FUNCTION]

Show the instructions of functions, and the source lines they come from, with
the samples of each: the loop with the most samples first, then the code before
and after it.

FUNCTION is a name, demangled or mangled, with or without its parameters and
its scope ('words::sort', 'sort'); or OBJECT:FUNCTION; or, if it begins with
'/', a POSIX extended regular expression.
Without it, the functions with the most samples are shown.

  -i, --input FILE         the profile (default profil.pb.gz); -: standard input
  -s, --symbol FUNCTION    the same as FUNCTION
      --limit N            at most N functions, and N pieces of code of each
                           (default 3)
      --source-only        show only source lines
      --asm-only           show only instructions (also --no-source)
  -l, --print-line         begin with the source lines that have the most
                           samples
  -P, --full-paths         show whole paths of source files
  -v, --full-names         show functions with all template arguments
      --asm-raw            show the bytes of instructions
  -M, --disassembler-style att (default) or intel
      --value TYPE         show these values: an event, or what another tool has
                           counted
      --symfs DIR          look for the objects below DIR
      --source-dir DIR     also look for sources below DIR, by shorter and
                           shorter parts of their path; may be repeated
      --path-prefix OLD=NEW  look for sources whose path begins with OLD at NEW;
                           may be repeated
      --color WHEN         auto (default: on a terminal, unless NO_COLOR is set
                           or TERM is unset or dumb), always or never
      --stdio              the default; accepted for users of perf
  -h, --help               this text

How to read it: a sample has the address of the instruction that was about to
run when the clock's interrupt came.  The time was often spent in the
instruction before it, which had to complete first: a slow load or division
shows at the instruction after it.  '>' marks the target of a jump within the
function.  A loop is the code between a backward jump and its target.  The loop
with the most samples of its own comes first, even if it is inside another.

If the profile has several events, each event that occurred in the function has
a column, with the percentage at each line.

For a function that is inlined in others, the lines of all places come first,
added up, and then the instructions of each place.  (Without FUNCTION, the
functions are those of 'profil report', with the code inlined in them.)

The instructions come from the object's file, if it still has the recorded
build-id.  If not, samples are shown by address and line, as recorded.

Examples:
  profil annotate
  profil annotate --source-only main
  profil annotate -M intel libc.so.6:memcpy
  profil annotate --limit 10 '/^deep::'
)help";
}

int annotate_main(const std::vector<std::string> &arguments)
{
	AnnotateOptions options;

	if (const std::optional<int> status = parse(arguments, options))
		return *status;

	Result<Profile> profile = read_profile(options.file, options.value);

	if (!profile)
		return fail(profile.error().text);

	const std::vector<FileNote> notes = add_lines(*profile, options.code.root);
	const Result<std::vector<FunctionSamples>> functions = choose(*profile, options);

	if (!functions)
		return fail(functions.error().text);
	tell(name, notes_of(notes, std::span(*functions).first(std::min(functions->size(), options.limit))));

	Annotator annotator(*profile, options.code);
	SourceFiles sources(options.directories, options.prefixes);
	const size_t shown = std::min(functions->size(), options.limit);
	std::string text;

	options.style.width = terminal_width(STDOUT_FILENO);
	options.style.color = wants_color(options.color, STDOUT_FILENO);
	options.style.most_parts = options.limit;
	for (size_t i = 0; i < shown; i++)
		text += (i ? "\n" : "") +
			annotation_text(annotator.annotate((*functions)[i], !options.function.empty()),
					sources, options.style);
	if (shown < functions->size())
		text += fmt::format("\n... and {}\n",
				    counted_noun(functions->size() - shown, "more function"));
	return print(name, text);
}

} // namespace cli
