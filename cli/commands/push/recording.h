// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/recording.h  Records, and pushes a profile at intervals. */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/options.h"

namespace cli {

/**
 * Profile options.target until it ends or a signal comes, and push what was
 * counted in each options.interval.  Profiles that the server cannot accept now
 * wait in a bounded queue; recording never waits for the network.
 * @return an error when it cannot start, or when a profile was dropped.
 */
Outcome push_recording(const PushOptions &options);

} // namespace cli
