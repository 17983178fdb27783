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

/** The most series in a part; if there are more, those with the fewest samples are joined. */
inline constexpr size_t most_series = 100;
/** The service_name of the joined series. */
inline constexpr char other_service[] = "[other]";

/**
 * Make a series for each set of labels, the one with the most samples first.  A sample's labels
 * follow from its program, unless @p given has a service_name, and from its cgroup.  If the samples
 * name neither programs nor cgroups, or if there are no samples, the profile is a single series,
 * named after its first object.
 *
 * A profile of events is converted by events_for_servers(); its kind is push_kind_events.
 *
 * @param given the labels that the user has given.
 * @param content the profile in pprof's format, gzipped or not.  It is sent, gzipped, if there
 *        is only one series, which is not of events.  Empty: encode @p profile.
 */
Result<std::vector<PushSeries>> push_series(const std::vector<PushLabel> &given, const Profile &profile,
					    std::string content);

} // namespace cli
