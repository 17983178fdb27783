// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/report.h"

#include "cli/base/saturate.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

/** The numbers of a row to which limits apply, with or without a base. */
struct Size {
	double percent;
	uint64_t samples;
	uint64_t base_samples;
};

Size size_of(const Report &report, size_t index)
{
	const size_t *event = report.order ? std::get_if<size_t>(&*report.order) : nullptr;

	if (report.base) {
		const ComparedRow &one = report.compared[index];
		const ComparedValue &part = event ? one.events[*event] : one;

		return {std::max(part.percent, part.base_percent), one.row.samples, one.base};
	}

	const Flat &flat = report.now.flat;
	const Row &row = flat.rows[index];

	return {event ? percent_of(row.events[*event], flat.events.totals[*event])
		      : percent_of(row.samples, flat.samples),
		row.samples, 0};
}

} // namespace

std::optional<double> sample_seconds(const Reported &one)
{
	constexpr double seconds_per_ns = 1e-9;
	const Profile &profile = one.profile;

	if (!one.flat.is_count() || one.rates_differ || profile.period <= 0 ||
	    profile.period_type.unit != "nanoseconds")
		return std::nullopt;
	return static_cast<double>(profile.period) * seconds_per_ns;
}

std::vector<CommonEvent> common_events(const Report &report)
{
	return common_events(report.base->flat.events, report.now.flat.events);
}

std::string files_text(const std::vector<std::string> &files)
{
	if (files.size() < 2)
		return files.empty() ? "" : files.front();
	return fmt::format("{} and {} more", files.front(), files.size() - 1);
}

Shown shown_rows(const Report &report)
{
	const size_t all = report.base ? report.compared.size() : report.now.flat.rows.size();
	const size_t most = report.style.rows.value_or(all);
	Shown shown;

	shown.rows.reserve(std::min(most, all));
	for (size_t i = 0; i < all; i++) {
		const Size size = size_of(report, i);

		if (shown.rows.size() < most && size.percent >= report.style.percent_limit) {
			shown.rows.push_back(i);
			continue;
		}
		shown.more++;
		shown.samples = saturating_add(shown.samples, size.samples);
		shown.base_samples = saturating_add(shown.base_samples, size.base_samples);
	}
	return shown;
}

} // namespace cli
