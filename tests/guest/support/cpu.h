// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/cpu.h  Where a thread runs. */
#pragma once

#include "tests/guest/support/guest.h"

#include <sched.h>

namespace guest {

/** From now on the calling thread (or another one), and what it starts, run on this CPU only. */
inline void stay_on(int cpu, pid_t thread = 0)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	need(sched_setaffinity(thread, sizeof(one), &one), "sched_setaffinity");
}

} // namespace guest
