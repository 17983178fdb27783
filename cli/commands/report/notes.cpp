// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/notes.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/profile/location.h"

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
	return fmt::format("{} left out by the filter {}\n", text, filters);
}

bool asks_for_processes(const View &view)
{
	return std::any_of(view.keys.begin(), view.keys.end(),
			   [](SortKey key) { return key == SortKey::Process || key == SortKey::Command; }) ||
	       std::any_of(view.filters.begin(), view.filters.end(), [](const Filter &filter) {
		       return filter.field == Filter::Field::Process || filter.field == Filter::Field::Pid;
	       });
}

bool knows_processes(const Profile &profile)
{
	return std::any_of(profile.samples.begin(), profile.samples.end(), [](const Sample &sample) {
		const ProcessName process = process_of(sample);

		return process.pid || !process.command.empty();
	});
}

std::string saturated_text(const Reported &one)
{
	if (!one.flat.saturated)
		return {};
	return printable(fmt::format("{}: sums stop at {}, but there are more: its percentages are wrong",
				     files_text(one.files), amount_text(UINT64_MAX, one.flat))) +
	       '\n';
}

} // namespace

std::string report_title(const Reported &one)
{
	const std::string rate = profile_rate_text(one.profile);
	const std::string duration = profile_duration_text(one.profile);
	std::string text =
		fmt::format("{}: {}", files_text(one.files), amount_text(one.flat.samples, one.flat));

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
	if (asks_for_processes(report.view) && !report.now.profile.samples.empty() &&
	    !knows_processes(report.now.profile))
		text += "the profile does not tell processes apart (record with --per-process)\n";
	for (size_t i = 0; i < left_out.size(); i++)
		text += (i ? ", " : "no room for: ") + left_out[i];
	text += left_out.empty() ? "" : "\n";
	if (std::any_of(report.compared.begin(), report.compared.end(),
			[](const ComparedRow &one) { return one.significant(); }))
		text += fmt::format("* not by chance: p < {}, corrected for {}\n", significant_below,
				    counted_noun(report.compared.size(), "row"));
	text += saturated_text(report.now);
	if (report.base)
		text += saturated_text(*report.base);
	if (report.now.rates_differ)
		text += "the files' rates differ: a sample does not mean the same time in each\n";
	return text;
}

} // namespace cli
