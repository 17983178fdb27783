/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A window for tests: the time between a tick's look at pins or bindings and its count in
 * them.
 *
 * It is a few instructions, too short for any test to hit.  So a module that replaced or
 * unpinned pins without waiting for ticks would pass all tests.  `scripts/build/kmod
 * --window` builds a module in which the window is long enough; in any other the window is
 * empty.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_WINDOW_H
#define PROFIL_WINDOW_H

#ifdef PROFIL_TEST_WINDOW

#include <linux/processor.h>

/*
 * A count, not a time: if the host takes the CPU away, the test has all the more time.  It is
 * a few milliseconds, more than a system call takes on an emulated CPU.
 */
#define PROFIL_WINDOW_LOOPS	40000

static inline void profil_window(void)
{
	unsigned int i;

	for (i = 0; i < PROFIL_WINDOW_LOOPS; i++)
		cpu_relax();
}

#else

static __always_inline void profil_window(void)
{
}

#endif

#endif /* PROFIL_WINDOW_H */
