// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/completion/completion.h"

#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/stream.h"
#include "cli/profile/profile_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr std::string_view mark = "--";

void offer(Completion &completion, std::string_view begun, std::string word, std::string summary)
{
	if (word.starts_with(begun))
		completion.candidates.push_back({std::move(word), std::move(summary)});
}

Completion complete_subcommand(std::span<const Subcommand> subcommands, const std::string &word)
{
	Completion completion;

	for (const Subcommand &subcommand : subcommands)
		offer(completion, word, std::string(subcommand.name), std::string(subcommand.summary));
	offer(completion, word, "help", "show the help of a command");
	if (word.starts_with('-')) {
		offer(completion, word, "--help", "list the commands");
		offer(completion, word, "-V", "show the version");
		offer(completion, word, "--version", "show the version");
	}
	return completion;
}

const ListedOption *find(const OptionList &list, std::string_view name)
{
	const auto found = std::find_if(list.options.begin(), list.options.end(),
					[name](const ListedOption &option) { return option.is(name); });

	return found == list.options.end() ? nullptr : &*found;
}

/** The part of a word before a value, such as "--sort=" or "-s", and the option with that value. */
struct Begun {
	const ListedOption *option = nullptr;
	size_t length = 0; /**< the length of the part; 0: the value is the next word */
};

/** The option in @p word, if it takes a value. */
Begun option_with_value(const OptionList &list, const std::string &word)
{
	if (word.starts_with(mark)) {
		const size_t equals = word.find('=');
		const ListedOption *option = find(list, word.substr(0, equals));

		if (!option || !option->takes_value)
			return {};
		return {option, equals == word.npos ? 0 : equals + 1};
	}
	for (size_t i = 1; word.starts_with('-') && i < word.size(); i++) {
		const ListedOption *option = find(list, std::string("-") + word[i]);

		if (!option)
			return {};
		if (option->takes_value)
			return {option, i + 1 < word.size() ? i + 1 : 0};
	}
	return {};
}

Completion complete_option(const OptionList &list, const std::string &word)
{
	Completion completion;

	for (const ListedOption &option : list.options) {
		for (const std::string &name : option.names) {
			/* Do not offer a short name if there is a long one. */
			if (!option.positional &&
			    (name.size() > 2 || word == name || option.names.size() == 1))
				offer(completion, word, name, option.summary);
		}
	}
	return completion;
}

/** The file that @p words name with --input, or else the default file. */
std::string given_profile(const OptionList &list, std::span<const std::string> words)
{
	for (size_t i = 1; i < words.size(); i++) {
		const Begun begun = option_with_value(list, words[i]);

		if (!begun.option || !begun.option->is("--input"))
			continue;
		if (begun.length)
			return words[i].substr(begun.length);
		if (i + 1 < words.size())
			return words[i + 1];
	}
	return default_profile_file;
}

Completion complete_positional(const OptionList &list, std::span<const std::string> words)
{
	const size_t at = words.size() - 1;
	Completion completion;

	if (find(list, "function")) {
		completion = complete_function(given_profile(list, words), words.back());
	} else if (list.runs_command) {
		completion.shells = Shells::Command;
		completion.command_at = at;
	} else if (find(list, "file")) {
		completion.shells = Shells::Profiles;
	}
	return completion;
}

/** Turns the candidates for a value into whole words. */
Completion with_prefix(Completion completion, std::string_view prefix)
{
	for (Candidate &candidate : completion.candidates)
		candidate.word.insert(0, prefix);
	return completion;
}

/** Completes the value of @p option; the part typed so far begins at @p start in the last word. */
Completion complete_value_of(const ListedOption &option, const OptionList &list,
			     std::span<const std::string> words, size_t start)
{
	const std::string begun = words.back().substr(start);

	if (option.value == "FUNCTION")
		return complete_function(given_profile(list, words), begun);
	return complete_value(words[0], option, begun);
}

Completion complete_last(const OptionList &list, std::span<const std::string> words)
{
	const std::string &word = words.back();
	const Begun begun = option_with_value(list, word);

	if (begun.length)
		return with_prefix(complete_value_of(*begun.option, list, words, begun.length),
				   word.substr(0, begun.length));
	if (word.starts_with('-'))
		return complete_option(list, word);
	return complete_positional(list, words);
}

Completion complete_arguments(const Subcommand &subcommand, std::span<const std::string> words)
{
	const OptionList list = list_options(subcommand);
	const size_t last = words.size() - 1;

	for (size_t i = 1; i < last; i++) {
		const Begun begun = option_with_value(list, words[i]);

		if (words[i] == mark && list.takes_command)
			return {{}, Shells::Command, i + 1};
		if (begun.option && !begun.length && ++i == last)
			return complete_value_of(*begun.option, list, words, 0);
		if (!words[i].starts_with('-') && list.runs_command && !begun.option)
			return {{}, Shells::Command, i};
	}
	return complete_last(list, words);
}

} // namespace

Completion complete(std::span<const Subcommand> subcommands, std::span<const std::string> words)
{
	const auto subcommand = std::find_if(subcommands.begin(), subcommands.end(),
					     [&](const Subcommand &one) { return one.name == words[0]; });

	if (words.size() == 1)
		return complete_subcommand(subcommands, words[0]);
	if (words[0] == "help" && words.size() == 2)
		return complete_subcommand(subcommands, words[1]);
	return subcommand == subcommands.end() ? Completion() : complete_arguments(*subcommand, words);
}

std::string completion_text(const Completion &completion)
{
	std::string text;

	for (const Candidate &candidate : completion.candidates) {
		/* Skip words that cannot be typed on one line. */
		if (printable(candidate.word) == candidate.word)
			text += candidate.word + '\t' + printable(candidate.summary) + '\n';
	}
	switch (completion.shells) {
	case Shells::Nothing: return text + ":none\n";
	case Shells::Files: return text + ":files\n";
	case Shells::Profiles: return text + ":profiles\n";
	case Shells::Directories: return text + ":directories\n";
	case Shells::Command: return text + fmt::format(":command {}\n", completion.command_at);
	}
	return text;
}

int complete_main(std::span<const Subcommand> subcommands, const std::vector<std::string> &arguments)
{
	std::span<const std::string> words = arguments;

	if (!words.empty() && words[0] == mark)
		words = words.subspan(1);
	if (words.empty())
		return exit_usage;
	return print("profil", completion_text(complete(subcommands, words)));
}

} // namespace cli
