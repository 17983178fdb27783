// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/cpu.h  Pins threads to CPUs. */
#pragma once

#include "tests/guest/support/guest.h"

#include <sched.h>

namespace guest {

/** Pin the calling thread, or another one, and all that it starts later, to this CPU. */
inline void stay_on(int cpu, pid_t thread = 0)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	need(sched_setaffinity(thread, sizeof(one), &one), "sched_setaffinity");
}

} // namespace guest
