// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/time_range.h"

#include "cli/profile/about.h"
#include "cli/profile/location.h"

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

constexpr double ms_per_second = 1e3;
constexpr double ns_per_second = 1e9;

} // namespace

Outcome keep_time(Profile &profile, const TimeRange &range)
{
	About about = from_comments(profile.comments);

	if (range.all())
		return Done();
	if (!about.slice_ms)
		return Error{"it has no time slices, so --from and --to have nothing to select (record with "
			     "--slice 1s)"};

	const double whole = static_cast<double>(profile.duration_nanos);
	const double from = range.from * ns_per_second;
	const double to = std::min(range.to * ns_per_second, whole);

	std::erase_if(profile.samples, [&](const Sample &sample) {
		const auto slice = static_cast<double>(slice_of(sample).value_or(-1));

		return slice < range.from * ms_per_second || slice >= range.to * ms_per_second;
	});
	profile.duration_nanos = static_cast<int64_t>(std::clamp(to - from, 0.0, std::max(whole, 0.0)));
	about.accounting = {};
	about.threads.clear();
	profile.comments = to_comments(about);
	return Done();
}

} // namespace cli
