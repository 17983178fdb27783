// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/series.h  Divides a profile into series with different labels. */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/encode.h"
#include "cli/commands/push/labels.h"
#include "cli/profile/profile.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** The most series in a part; if there would be more, the rarest programs share the last one. */
inline constexpr size_t most_series = 100;
/** The service_name of that last series. */
inline constexpr char other_service[] = "[other]";

/**
 * Make a series for each set of labels, the one with the most samples first.  A sample's labels
 * follow from its program, unless @p given has a service_name, and from its cgroup.  A profile
 * whose samples name neither program nor cgroup, or that has no samples, is one series, named after
 * its first object.
 *
 * A profile of events becomes events_for_servers(), of the kind push_kind_events.
 *
 * @param given the labels that the user has given.
 * @param content the profile in pprof's format, gzipped or not; it is sent if there is only one
 *        series, which is not of events.  Empty: encode @p profile.
 */
Result<std::vector<PushSeries>> push_series(const std::vector<PushLabel> &given, const Profile &profile,
					    std::string content);

} // namespace cli
