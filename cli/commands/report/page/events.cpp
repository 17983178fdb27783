// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/events.h"

namespace cli {
namespace {

/** Drop all events except one.  @param event its index in Flat::events.  @param by_samples show its
 * samples instead of its count: only for the first event, whose samples the profile has. */
void keep_event(Reported &one, size_t event, bool by_samples, const View &view)
{
	Profile &profile = one.profile;
	const size_t type = events_of(profile)[event];
	const uint64_t period = one.flat.events.periods[event];

	if (by_samples) {
		profile.sample_types.resize(type + 1);
		for (Sample &sample : profile.samples)
			sample.values.resize(type + 1);
	} else {
		profile.sample_types = {profile.sample_types[type]};
		profile.default_sample_type = profile.sample_types.front().type;
		for (Sample &sample : profile.samples)
			sample.values = {sample.values[type]};
	}
	one.flat = flatten(profile, view);
	one.flat.period = by_samples ? 0 : period;
}

} // namespace

std::vector<std::string> events_of_page(const Report &report)
{
	if (!report.base)
		return report.now.flat.events.names;

	std::vector<std::string> names;

	for (const CommonEvent &event : common_events(report))
		names.push_back(event.name);
	return names;
}

Report report_of_event(const Report &report, size_t event)
{
	Report one = report;

	one.ratios.clear();
	one.order.reset();
	if (!report.base) {
		keep_event(one.now, event, event == 0, report.view);
		return one;
	}

	const CommonEvent common = common_events(report)[event];

	keep_event(one.now, common.now, common.is_first(), report.view);
	keep_event(*one.base, common.base, common.is_first(), report.view);
	one.compared = compare(one.base->flat, one.now.flat);
	return one;
}

} // namespace cli
