// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/notes.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/profile/location.h"
#include "cli/rows/name_notes.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

std::string not_shown_text(const Report &report, const Shown &shown)
{
	std::string text = fmt::format("... and {}, of {}", counted_noun(shown.more, "more row"),
				       share_text(shown.samples, report.now.flat));

	if (report.base)
		text += fmt::format(", before {}", share_text(shown.base_samples, report.base->flat));
	return text + '\n';
}

std::string filtered_text(const Report &report)
{
	std::string filters;

	for (const Filter &filter : report.view.filters)
		filters += (filters.empty() ? "" : ", ") + printable(filter.text);

	std::string text = share_text(report.now.flat.filtered_out, report.now.flat);

	if (report.base)
		text += fmt::format(", before {}",
				    share_text(report.base->flat.filtered_out, report.base->flat));
	return fmt::format("{} left out by --filter {}\n", text, filters);
}

bool filters_by(const View &view, Filter::Field field)
{
	return std::any_of(view.filters.begin(), view.filters.end(),
			   [field](const Filter &filter) { return filter.field == field; });
}

bool asks_for_processes(const View &view)
{
	return has_key(view.keys, SortKey::Process) || has_key(view.keys, SortKey::Command) ||
	       filters_by(view, Filter::Field::Process) || filters_by(view, Filter::Field::Pid);
}

/** A note if the view needs processes, but the profile does not distinguish them; else empty. */
std::string processes_text(const View &view, const Profile &profile)
{
	if (profile.samples.empty() || !asks_for_processes(view))
		return {};

	switch (told_apart(profile)) {
	case ToldApart::Nothing:
		return "the profile does not distinguish processes (record with --per-process)\n";
	case ToldApart::Commands:
		if (filters_by(view, Filter::Field::Pid))
			return "the profile has the names of processes, but not their PIDs (record with "
			       "--per-process)\n";
		break;
	case ToldApart::Processes: break;
	}
	return {};
}

/** The meaning of the marks in a comparison; empty if no row has a mark. */
std::string marks_text(const Report &report)
{
	const bool marked =
		std::any_of(report.compared.begin(), report.compared.end(), [](const ComparedRow &one) {
			return one.significant() ||
			       std::any_of(one.events.begin(), one.events.end(),
					   [](const ComparedValue &event) { return event.significant(); });
		});

	if (!marked)
		return {};
	return fmt::format("* chance does not explain the difference: p < {}, corrected for {}\n",
			   significant_below,
			   common_events(report).empty() ? counted_noun(report.compared.size(), "row")
							 : "the rows of each event");
}

/** The source of a profile's samples: "page-faults", "cpu". */
std::string_view source_of(const Profile &profile)
{
	return profile.period_type.type;
}

std::string different_events_text(const Report &report)
{
	if (!report.base || !report.now.flat.is_count())
		return {};

	const Profile &now = report.now.profile, &base = report.base->profile;

	if (source_of(now) == source_of(base) || (!is_of_events(now) && !is_of_events(base)))
		return {};
	return printable(fmt::format("the samples are those of {}, and before those of {}", source_of(now),
				     source_of(base))) +
	       '\n';
}

/** A line about events that are not compared, because only one of the profiles has them. */
std::string only_in_text(const std::vector<std::string> &names, const Reported &one)
{
	if (names.empty())
		return {};
	return printable(fmt::format("{} {} only in {}: not compared", names_text(names),
				     names.size() == 1 ? "is" : "are", files_text(one.files))) +
	       '\n';
}

std::string events_text(const Report &report)
{
	if (!report.base)
		return {};

	std::string text;

	if (!report.led_by.empty())
		text = fmt::format("the samples are those of {}, the first event that both files have\n",
				   printable(report.led_by));
	return text + only_in_text(report.events.base_only, *report.base) +
	       only_in_text(report.events.now_only, report.now);
}

std::string saturated_text(const Reported &one)
{
	if (!one.flat.saturated)
		return {};
	return printable(
		       fmt::format("{}: the sums have overflowed, and stop at {}; the percentages are wrong",
				   files_text(one.files), amount_text(UINT64_MAX, one.flat))) +
	       '\n';
}

} // namespace

std::string report_title(const Reported &one, bool compared)
{
	const std::string rate = profile_rate_text(one.profile);
	const std::string duration = profile_duration_text(one.profile);
	/* A comparison compares samples, even if they are samples of events. */
	const std::string total = compared ? amount_text(one.flat.samples, one.flat) : total_text(one.flat);
	std::string text = fmt::format("{}: {}", files_text(one.files), total);

	if (!rate.empty())
		text += fmt::format(" at {}", rate);
	if (!duration.empty())
		text += fmt::format(" in {}", duration);
	return printable(text);
}

std::string report_notes(const Report &report, const Shown &shown, std::span<const std::string> left_out)
{
	std::string text;

	if (shown.more)
		text += not_shown_text(report, shown);
	if (!report.view.filters.empty())
		text += filtered_text(report);
	text += processes_text(report.view, report.now.profile);
	for (const std::string &note : name_notes(report.now.flat))
		text += note + '\n';
	for (size_t i = 0; i < left_out.size(); i++)
		text += (i ? ", " : "no room for: ") +
			left_out[i].substr(0, left_out[i].find_last_not_of(' ') + 1);
	text += left_out.empty() ? "" : "\n";
	text += marks_text(report);
	text += different_events_text(report);
	text += events_text(report);
	text += saturated_text(report.now);
	if (report.base)
		text += saturated_text(*report.base);
	if (report.now.rates_differ)
		text += "the files' rates differ: a sample stands for a different time in each\n";
	return text;
}

} // namespace cli
