// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/recording.h  Records, and pushes a profile at intervals. */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/options.h"

namespace cli {

/**
 * The length of the first part, in seconds.  It is random, so that machines that start at the same
 * time, after a deployment or a power cut, push at different times.
 * @param random in [0, 1).
 * @return from 0.5 to 1.5 times @p interval, so that all moments in an interval are equally likely.
 */
double first_interval(double interval, double random);

/**
 * Profile options.target until it ends or a signal arrives, and push the samples
 * of each options.interval.  Profiles that the server cannot accept now wait in a
 * bounded queue; the recording never waits for the network.
 * @return an error if the recording cannot start, or if a profile was dropped.
 */
Outcome push_recording(const PushOptions &options);

} // namespace cli
