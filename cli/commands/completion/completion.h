// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/completion/completion.h  Candidates for the next word of a command line. */
#pragma once

#include "cli/options/option_list.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** A candidate for the last word. */
struct Candidate {
	std::string word; /**< the whole word; if it ends with '=', a value follows without a blank */
	std::string summary;
};

/** The kinds of words that the shell should complete itself, because it does this better. */
enum class Shells {
	Nothing,
	Files,
	Profiles, /**< files with a suffix of pprof's format, such as .pb.gz */
	Directories,
	Command, /**< a command with its arguments */
};

struct Completion {
	std::vector<Candidate> candidates;
	Shells shells = Shells::Nothing;
	size_t command_at = 0; /**< the index of the word that begins the command */
};

/**
 * Complete the last of the words after "profil".
 * @param words at least one word, which may be empty; without quotes.
 */
Completion complete(std::span<const Subcommand> subcommands, std::span<const std::string> words);

/**
 * The text that the shells' functions read: a line "WORD<tab>SUMMARY" for each candidate,
 * and a last line ":none", ":files", ":profiles", ":directories" or ":command N".
 */
std::string completion_text(const Completion &completion);

/**
 * The candidates for the value of an option.
 * @param command the subcommand's name.
 * @param word the part of the value typed so far.
 */
Completion complete_value(std::string_view command, const ListedOption &option, const std::string &word);

/**
 * The functions of a profile whose name, with or without its scope, begins with @p word; none if
 * the profile cannot be read.
 */
Completion complete_function(const std::string &profile, std::string_view word);

/** Implements `profil __complete [--] WORD...`, which the shells' completions call. */
int complete_main(std::span<const Subcommand> subcommands, const std::vector<std::string> &arguments);

} // namespace cli
