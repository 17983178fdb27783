// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/summary.h"

#include "cli/base/numbers.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

/* A smaller share of lost ticks changes no conclusion: all machines lose some. */
constexpr uint64_t least_lost = 100;

} // namespace

void summarize(Console &console, const Recording &recording, const RecordedTime &time, const About &about,
	       const std::string &path)
{
	const bool clock = std::any_of(time.sources.begin(), time.sources.end(),
				       [](const SampleSource &source) { return source.unit != "count"; });

	console.say(fmt::format("{} of {} in {}{}: {}", counted_noun(recording.tally.total(), "sample"),
				processes_text(recording.processes, recording.accounting),
				duration_text(time.seconds), sources_text(time.sources), path));
	if (recording.accounting.ticks || recording.accounting.lost_unowned)
		console.detail(accounting_line(recording.accounting,
					       recording.by_perf ? " that perf has reported" : ""));
	if (!recording.accounting.ticks)
		console.detail(clock ? "no ticks of the clock: no attached process used the CPU"
				     : "no attached process had such an event");
	if (shared_bytes(about) > 1)
		console.detail(recording.granularity + " (--max-memory gives more counters)");

	for (const std::string &line : event_lines(about))
		console.detail(line);

	std::string memory = fmt::format("{} of counters", bytes_text(recording.counter_bytes));

	if (recording.by_perf)
		memory = fmt::format("{} of buffers for perf's samples", bytes_text(recording.counter_bytes));

	if (!about.lines_later.empty())
		memory +=
			fmt::format("; source lines of {} are read from {} when needed (--lines stores them)",
				    counted_noun(about.lines_later.size(), "object"),
				    about.lines_later.size() == 1 ? "its file" : "their files");
	console.detail(memory);
}

bool is_as_expected(const About &about)
{
	return about.accounting.ticks && about.accounting.lost() <= about.accounting.ticks / least_lost &&
	       shared_bytes(about) == 1 && event_lines(about).empty();
}

} // namespace cli
