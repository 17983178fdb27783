// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/series.h  Divides a profile into what servers file under different labels. */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/encode.h"
#include "cli/commands/push/labels.h"
#include "cli/profile/profile.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** A part has at most so many series; the rarest programs beyond that are in one. */
inline constexpr size_t most_series = 100;
/** The service_name of that one. */
inline constexpr char other_service[] = "[other]";

/**
 * A series for each program and cgroup that samples are labelled with, most samples first; for
 * each set of labels, if @p given has a service_name.  A profile without such labels, or
 * without samples, is one series, of its first object.
 *
 * A profile of events is events_for_servers(), of the kind push_kind_events.
 *
 * @param given the labels that the user has given.
 * @param content the profile in pprof's format, gzipped or not: that of the only series.  Empty:
 *        it is encoded if there is only one.
 */
Result<std::vector<PushSeries>> push_series(const std::vector<PushLabel> &given, const Profile &profile,
					    std::string content);

} // namespace cli
