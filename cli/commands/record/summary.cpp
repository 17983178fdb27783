// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/summary.h"

#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/rows/event_match.h"
#include "cli/rows/events.h"

#include <fmt/format.h>

namespace cli {
namespace {

/* A loss of at most one tick in this many needs no message: it changes no conclusion. */
constexpr uint64_t least_lost = 100;

/** "12,345 page-faults and 60 cs (1 in 10)": the counts as in a report, and the periods above 1. */
std::string events_text(const Profile &profile, std::span<const SampleSource> sources)
{
	std::vector<std::string> counts;

	for (size_t i = 0; i < sources.size(); i++) {
		uint64_t count = 0;

		for (const Sample &sample : profile.samples)
			count = saturating_add(count, samples_of(sample, first_event + i));
		counts.push_back(grouped(count) + ' ' + sources[i].name);
		if (sources[i].period > 1)
			counts.back() += fmt::format(" (1 in {})", grouped(sources[i].period));
	}
	return names_text(counts);
}

} // namespace

void summarize(Console &console, const Recording &recording, const RecordedTime &time, const Profile &profile,
	       const About &about, const std::string &path)
{
	const bool clock = !is_of_events(profile);
	const SampleSource &source = time.sources.front();
	const std::string counted = time.sources.size() > 1 ? events_text(profile, time.sources)
							    : counted_noun(recording.tally.total(), "sample");
	std::string by;

	if (clock)
		by = " at " + rate_text(1e9 / static_cast<double>(source.period));
	else if (time.sources.size() == 1)
		by = " by " + source.name + (source.period == 1 ? "" : fmt::format(":{}", source.period));
	console.say(fmt::format("{} of {} in {}{}: {}", counted,
				processes_text(recording.processes, recording.accounting),
				duration_text(time.seconds), by, path));
	if (recording.accounting.ticks || recording.accounting.lost_unowned)
		console.detail(accounting_line(recording.accounting,
					       recording.by_perf ? " that perf has reported" : ""));
	if (!recording.accounting.ticks)
		console.detail(fmt::format("{}{}",
					   clock ? "no ticks of the clock: no attached process used the CPU"
						 : "no attached process had such an event",
					   recording.without_kernel ? " outside the kernel" : ""));

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
	       event_lines(about).empty();
}

} // namespace cli
