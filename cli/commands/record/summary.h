// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/summary.h  What profil record says about a file that it has written. */
#pragma once

#include "cli/profile/about.h"
#include "cli/recording/progress.h"
#include "cli/recording/recorded_profile.h"

#include <string>

namespace cli {

/** Samples, losses and memory of a recording that was written to @p path as @p profile. */
void summarize(Console &console, const Recording &recording, const RecordedTime &time, const Profile &profile,
	       const About &about, const std::string &path);

/**
 * True if a recording needs no message: it has samples, at most one tick in a hundred is lost, no
 * event is incomplete, and each byte of text has its own counter.
 */
bool is_as_expected(const About &about);

} // namespace cli
