// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/stream.h"
#include "cli/commands/completion/completion.h"
#include "cli/names/similar.h"
#include "cli/optional/built_with.h"
#include "cli/options/perf_words.h"
#include "cli/options/subcommands.h"
#include "profil.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <vector>

namespace cli {
namespace {

constexpr std::array subcommands = {
	Subcommand{"record", "record where processes spend their CPU time, or where events occur",
		   record_main, record_help},
	Subcommand{"report", "show a recorded profile as a table or a page", report_main, report_help},
	Subcommand{"top", "show where processes spend their time while they run", top_main, top_help},
	Subcommand{"annotate", "show a function's samples by instruction and source line", annotate_main,
		   annotate_help},
	Subcommand{"export", "write a profile in another tool's format", export_main, export_help},
	Subcommand{"serve", "answer go tool pprof and other scrapers", serve_main, serve_help},
	Subcommand{"push", "send a profile to a continuous-profiling server", push_main, push_help},
	Subcommand{"list", "list the events that can be sampled instead of time", list_main, list_help},
	Subcommand{"status", "show whether profil works here, and the running profiles", status_main,
		   status_help},
};

const Subcommand *find(std::string_view name)
{
	for (const Subcommand &subcommand : subcommands) {
		if (subcommand.name == name)
			return &subcommand;
	}
	return nullptr;
}

std::string general_help()
{
	std::string text =
		"Usage: profil COMMAND [options]\n\n"
		"Shows where unmodified programs spend their CPU time: a kernel module counts it.\n\n";
	size_t width = 0;

	for (const Subcommand &subcommand : subcommands)
		width = std::max(width, subcommand.name.size());
	for (const Subcommand &subcommand : subcommands)
		text += fmt::format("  {:<{}}  {}\n", subcommand.name, width, subcommand.summary);
	text += fmt::format("  {:<{}}  show this, or the help of a command\n\n", "help", width);
	text += "  -V, --version   show the version\n\n"
		"Example:\n"
		"  profil record -p 4711 -d 10 && profil report\n";
	return text;
}

int unknown(std::string_view name)
{
	const std::string_view answer = answer_for_perf_command(name);
	std::vector<std::string> names;

	for (const Subcommand &subcommand : subcommands)
		names.emplace_back(subcommand.name);
	write_message(fmt::format("profil: there is no command '{}'{} (see profil help)\n", printable(name),
				  answer.empty() ? did_you_mean(name, names) : fmt::format(": {}", answer)));
	return exit_usage;
}

int help(std::span<const std::string> names)
{
	if (names.empty()) {
		return print("profil", general_help());
	}

	const Subcommand *subcommand = find(names.front());

	if (!subcommand)
		return unknown(names.front());
	return print("profil", subcommand->help());
}

int run(const std::vector<std::string> &arguments)
{
	if (arguments.empty()) {
		write_message(general_help());
		return exit_usage;
	}

	const std::string &name = arguments.front();
	const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());

	if (name == "help" || name == "--help" || name == "-h")
		return help(rest);
	if (name == "--version" || name == "-V" || name == "version") {
		return print("profil", fmt::format("profil {}\n{}", profil_version(), built_with()));
	}
	if (const Subcommand *subcommand = find(name))
		return subcommand->run(rest);
	if (name == "__complete")
		return complete_main(subcommands, rest);
	return unknown(name);
}

} // namespace
} // namespace cli

int main(int argc, char **argv)
{
	cli::occupy_standard_streams();
	try {
		return cli::run({argv + 1, argv + argc});
	} catch (const std::exception &error) {
		/* No formatting here: the failure may be a lack of memory. */
		for (const std::string_view part : {"profil: ", error.what(), "\n"})
			cli::write_message(part);
		return cli::exit_failure;
	}
}
