// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/summary.h  The messages of profil record about a written file. */
#pragma once

#include "cli/profile/about.h"
#include "cli/recording/progress.h"
#include "cli/recording/recorded_profile.h"

#include <string>

namespace cli {

/** Print samples, losses and memory of a recording that was written to @p path as @p profile. */
void summarize(Console &console, const Recording &recording, const RecordedTime &time, const Profile &profile,
	       const About &about, const std::string &path);

/**
 * True if a recording needs no message: it has ticks, at most one in a hundred of them is lost,
 * and no event is incomplete.
 */
bool is_as_expected(const About &about);

} // namespace cli
