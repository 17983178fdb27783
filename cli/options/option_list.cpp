// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/options/option_list.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

namespace cli {
namespace {

/* The column where a help text puts options that have no short form. */
constexpr size_t last_column = 6;

/* give_options() fills this during list_options(), when there is only one thread. */
OptionList *wanted = nullptr;

ListedOption describe(const CLI::Option &option)
{
	ListedOption listed;

	for (const std::string &letter : option.get_snames())
		listed.names.push_back("-" + letter);
	for (const std::string &word : option.get_lnames())
		listed.names.push_back("--" + word);
	listed.positional = listed.names.empty();
	if (listed.positional)
		listed.names.push_back(option.get_name(true));
	listed.takes_value = option.get_items_expected_max() > 0;
	return listed;
}

std::string_view trimmed(std::string_view text)
{
	text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
	return text;
}

/** Cut off and return the first word; a quoted word may contain blanks. */
std::string_view cut_word(std::string_view &text)
{
	text = trimmed(text);

	const size_t end = text.starts_with('\'') ? std::min(text.find('\'', 1), text.size() - 1) + 1
						  : std::min(text.find(' '), text.size());
	const std::string_view word = text.substr(0, end);

	text.remove_prefix(end);
	return word;
}

bool names_a_value(std::string_view word)
{
	return std::any_of(word.begin(), word.end(),
			   [](unsigned char letter) { return std::isupper(letter); });
}

/** In help, an optional value is "[FILE]". */
std::string_view without_brackets(std::string_view word)
{
	return word.starts_with('[') && word.ends_with(']') ? word.substr(1, word.size() - 2) : word;
}

/** A help line that begins with options: "  -p, --pid PID[,PID...]  these processes". */
struct HelpLine {
	std::vector<std::string> names;
	std::string_view rest;
};

HelpLine parse_line(std::string_view line)
{
	HelpLine parsed;

	parsed.rest = trimmed(line);
	/* A line that is indented further is text, even if its first word is an option. */
	if (line.size() - parsed.rest.size() > last_column)
		return parsed;
	while (parsed.rest.starts_with('-')) {
		std::string_view word = cut_word(parsed.rest);
		const bool more = word.ends_with(',');

		word.remove_suffix(more ? 1 : 0);
		parsed.names.emplace_back(word);
		parsed.rest = trimmed(parsed.rest);
		if (!more)
			break;
	}
	return parsed;
}

void take_words(ListedOption &option, std::string_view rest, std::string_view next)
{
	if (option.takes_value) {
		std::string_view after = rest;
		const std::string_view word = cut_word(after);

		if (names_a_value(word)) {
			option.value = without_brackets(word);
			rest = trimmed(after);
		}
	}
	option.summary = rest.empty() ? trimmed(next) : rest;
}

void add_help(OptionList &list, const std::string &help)
{
	std::istringstream lines(help);
	std::vector<std::string> all;

	for (std::string line; std::getline(lines, line);)
		all.push_back(line);
	all.emplace_back();
	for (size_t i = 0; i + 1 < all.size(); i++) {
		const HelpLine line = parse_line(all[i]);

		for (ListedOption &option : list.options) {
			const bool meant =
				std::any_of(line.names.begin(), line.names.end(),
					    [&](const std::string &name) { return option.is(name); });

			if (meant && option.summary.empty())
				take_words(option, line.rest, all[i + 1]);
		}
	}
}

} // namespace

bool ListedOption::is(std::string_view name) const
{
	return std::find(names.begin(), names.end(), name) != names.end();
}

bool give_options(const CLI::App &app)
{
	if (!wanted)
		return false;
	wanted->runs_command = app.get_prefix_command();
	for (const CLI::Option *option : app.get_options())
		wanted->options.push_back(describe(*option));
	return true;
}

OptionList list_options(const Subcommand &subcommand)
{
	const std::string help = subcommand.help();
	OptionList list;

	wanted = &list;
	subcommand.run({});
	wanted = nullptr;
	add_help(list, help);
	list.takes_command = help.find("\n  --  COMMAND") != std::string::npos;
	list.runs_command = list.runs_command && list.takes_command;
	return list;
}

} // namespace cli
