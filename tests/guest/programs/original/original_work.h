/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiled work of the programs in the styles of the old systems. */
#include <time.h>

static unsigned short histogram[4096] __attribute__((unused));

/* Half a second of CPU time. */
static void work()
{
	clock_t end = clock() + CLOCKS_PER_SEC / 2;
	volatile long n;

	while (clock() < end)
		for (n = 0; n < 100000; n++)
			;
}
