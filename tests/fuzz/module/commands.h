// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/commands.h  The commands of /dev/profil with everything that can be said wrongly. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <sys/types.h>

namespace fuzz {

/** Any command, with a target to attach to; checks what came of it. */
void run_command(Random &random, pid_t target);

} // namespace fuzz
