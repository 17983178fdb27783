// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/function_choice.h"
#include "cli/base/numbers.h"
#include "cli/commands/completion/completion.h"
#include "cli/commands/export/export.h"
#include "cli/commands/push/options.h"
#include "cli/names/bare_name.h"
#include "cli/names/shown_names.h"
#include "cli/process/process.h"
#include "cli/process/process_finder.h"
#include "cli/profile/profile_file.h"
#include "cli/rows/sort_key.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <pwd.h>
#include <set>
#include <unistd.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

using Candidates = std::vector<Candidate>;

/** Processes that can be profiled, by PID. */
std::map<pid_t, std::string> processes()
{
	std::map<pid_t, std::string> names;

	for (const pid_t pid : all_processes()) {
		if (pid == getpid())
			continue;
		if (const auto facts = process_facts(pid); facts && facts->has_memory && !facts->zombie)
			names[pid] = facts->name;
	}
	return names;
}

Candidates pids()
{
	Candidates candidates;

	for (const auto &[pid, name] : processes())
		candidates.push_back({std::to_string(pid), name});
	return candidates;
}

Candidates process_names()
{
	std::map<std::string, size_t> numbers;
	Candidates candidates;

	for (const auto &[pid, name] : processes())
		numbers[name]++;
	for (const auto &[name, number] : numbers)
		candidates.push_back({name, number == 1 ? "1 process" : fmt::format("{} processes", number)});
	return candidates;
}

/* getpwent() is not thread-safe, but completion has only one thread. */
Candidates users()
{
	Candidates candidates;

	setpwent();
	while (const passwd *user = getpwent()) // NOLINT(concurrency-mt-unsafe)
		candidates.push_back({user->pw_name, user->pw_gecos ? user->pw_gecos : ""});
	endpwent();
	return candidates;
}

/** cgroups as --cgroup accepts them: paths below the mount of cgroup2. */
Candidates cgroups()
{
	Candidates candidates;
	std::error_code error;

	for (fs::recursive_directory_iterator entry(cgroup_mount, error), end; !error && entry != end;
	     entry.increment(error)) {
		std::error_code gone;

		if (entry->is_directory(gone))
			candidates.push_back({entry->path().string().substr(cgroup_mount.size()), ""});
	}
	return candidates;
}

Candidates sort_keys()
{
	Candidates candidates;

	for (const SortKey key : all_sort_keys())
		candidates.push_back({std::string(sort_key_name(key)), ""});
	return candidates;
}

Candidates export_names()
{
	Candidates candidates;

	for (const ExportFormat &format : export_formats())
		candidates.push_back({std::string(format.name), std::string(format.tools)});
	return candidates;
}

Candidates push_names()
{
	Candidates candidates;

	for (const std::string_view name : push_format_names())
		candidates.push_back({std::string(name), ""});
	return candidates;
}

template <size_t N> Candidates fixed(const std::array<const char *, N> &words)
{
	Candidates candidates;

	for (const char *word : words)
		candidates.push_back({word, ""});
	return candidates;
}

Candidates filters()
{
	Candidates candidates;

	for (const char *what : {"function", "object", "file", "process", "pid"}) {
		for (const char *sign : {"=", "!="})
			candidates.push_back({std::string(what) + sign, ""});
	}
	return candidates;
}

/** The candidates for an option's value, chosen by the value's name in the help, such as PID. */
Candidates words_for(std::string_view command, const ListedOption &option)
{
	const std::string_view value = std::string_view(option.value).substr(0, option.value.find('['));

	if (value == "PID")
		return pids();
	if (value == "REGEX" && option.is("--name"))
		return process_names();
	if (value == "USER")
		return users();
	if (value == "PATH" && option.is("--cgroup"))
		return cgroups();
	if (value == "KEY" && option.is("--by"))
		return fixed(std::array{"function", "object", "address"});
	if (value == "KEY")
		return sort_keys();
	if (value == "EXPR")
		return filters();
	if (value == "FORMAT")
		return command == "push" ? push_names() : command == "export" ? export_names() : Candidates();
	if (value == "WHEN")
		return fixed(std::array{"auto", "always", "never"});
	if (option.is("--disassembler-style"))
		return fixed(std::array{"att", "intel"});
	return {};
}

/* Offer only profiles for options that read a profile, but all files for others, such as tokens. */
Shells files_for(const ListedOption &option)
{
	if (option.value == "DIR")
		return Shells::Directories;
	if (option.value != "FILE")
		return Shells::Nothing;
	return option.is("--input") || option.is("--base") ? Shells::Profiles : Shells::Files;
}

constexpr size_t most_functions = 200;

} // namespace

Completion complete_function(const std::string &path, std::string_view word)
{
	const Result<Profile> profile = read_profile(path);
	Completion completion;

	if (!profile)
		return completion;

	const std::vector<FunctionSamples> functions = functions_of(*profile);
	ShownNames names(NameLength::Short);

	for (const FunctionSamples &function : functions)
		names.add(function.name);
	for (const FunctionSamples &function : functions) {
		std::string name(names.text(function.name));

		if ((name.starts_with(word) || unqualified(without_parameters(name)).starts_with(word)) &&
		    completion.candidates.size() < most_functions)
			completion.candidates.push_back(
				{std::move(name), counted_noun(function.samples(), "sample")});
	}
	return completion;
}

Completion complete_value(std::string_view command, const ListedOption &option, const std::string &word)
{
	const bool list = option.value.find("[,") != std::string::npos;
	const size_t start = list ? word.rfind(',') + 1 : 0;
	const std::string before = word.substr(0, start);
	Completion completion;

	for (Candidate &candidate : words_for(command, option)) {
		if (candidate.word.starts_with(std::string_view(word).substr(start)))
			completion.candidates.push_back(
				{before + candidate.word, std::move(candidate.summary)});
	}
	completion.shells = files_for(option);
	return completion;
}

} // namespace cli
