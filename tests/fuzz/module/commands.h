// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/commands.h  Random commands on /dev/profil, and the invariants that they must
 * keep. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <sys/types.h>

namespace fuzz {

/** Runs any command, with a target to record, and checks its result. */
void run_command(Random &random, pid_t target);

} // namespace fuzz
