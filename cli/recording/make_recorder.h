// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/make_recorder.h  Chooses how to record. */
#pragma once

#include "cli/recording/recorder.h"
#include "cli/recording/session.h"
#include "cli/recording/target_builder.h"

#include <memory>

namespace cli {

/** The recorder for these settings and this module.  @param log must outlive it. */
std::unique_ptr<Recorder> make_recorder(Session session, const RecorderSettings &settings,
					const profil_info &info, RecorderLog &log);

} // namespace cli
