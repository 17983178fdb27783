// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/options/perf_words.h"

#include <algorithm>
#include <array>

namespace cli {
namespace {

struct Answer {
	std::string_view word;
	std::string_view text;
};

constexpr std::string_view no_stacks =
	"a profile has functions and what is inlined in them, but no call stacks; 'perf record -g' has those";
constexpr std::string_view no_events = "-e belongs to record, top, serve and push, which sample the events";
constexpr std::string_view no_branches = "profil counts where the CPU is, not how it got there";

constexpr std::array options = {
	Answer{"-g", no_stacks},
	Answer{"-G", no_stacks},
	Answer{"--call-graph", no_stacks},
	Answer{"--children", no_stacks},
	Answer{"--no-children", no_stacks},
	Answer{"-e", no_events},
	Answer{"--event", no_events},
	Answer{"-b", no_branches},
	Answer{"--branch-any", no_branches},
	Answer{"-j", no_branches},
	Answer{"--branch-filter", no_branches},
	Answer{"-m", "--max-memory limits the memory for counters and buffers"},
	Answer{"--mmap-pages", "--max-memory limits the memory for counters and buffers"},
	Answer{"-C", "profil does not distinguish CPUs; -a records all of them"},
	Answer{"--cpu", "profil does not distinguish CPUs; -a records all of them"},
	Answer{"--comms", "--filter process=NAME does that"},
	Answer{"--dsos", "--filter object=NAME does that"},
	Answer{"--symbols", "--filter function=NAME does that"},
	Answer{"--show-nr-samples", "the number of samples is always shown"},
};

constexpr std::array commands = {
	Answer{"diff", "'profil report --base OLD NEW' compares profiles"},
	Answer{"script", "'profil export --format perf-script' writes what perf script prints"},
	Answer{"stat", "'profil record -e' samples where events occur; 'perf stat' only counts them"},
	Answer{"archive", "a profile has all names; 'profil record --lines' stores all lines, too"},
};

template <typename Answers> std::string_view find(const Answers &answers, std::string_view word)
{
	const auto *found = std::find_if(answers.begin(), answers.end(),
					 [&](const Answer &one) { return one.word == word; });

	return found == answers.end() ? std::string_view() : found->text;
}

} // namespace

std::string_view answer_for_perf_option(std::string_view option)
{
	return find(options, option.substr(0, option.find('=')));
}

std::string_view answer_for_perf_command(std::string_view command)
{
	return find(commands, command);
}

} // namespace cli
