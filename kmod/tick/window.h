/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A window for tests: how long a tick has pins, or bindings that it has looked at, and has not
 * yet counted in them.
 *
 * It is some instructions, too short for any test to hit.  So a module that waited for no
 * tick when pins are replaced or unpinned would pass all tests.  `scripts/build/kmod
 * --window` builds a module in which the window is long enough; in any other this is nothing
 * at all.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_WINDOW_H
#define PROFIL_WINDOW_H

#ifdef PROFIL_TEST_WINDOW

#include <linux/processor.h>

/*
 * A count, and not a time: the host may take away the CPU meanwhile, and then the test has
 * all the more time.  It is a few milliseconds, more than a system call takes on an emulated
 * CPU.
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
