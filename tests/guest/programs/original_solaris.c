/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As it was written for solaris: built with the flags of libprofil-solaris.pc alone.
 * Exit status 0: each way to be profiled left counts; else the step that did not. */
#include <unistd.h>
#include <pcsample.h>
#include <time.h>

static unsigned short histogram[4096];
static uintptr_t samples[8];

/* Half a second of CPU time. */
static void work()
{
	clock_t end = clock() + CLOCKS_PER_SEC / 2;
	volatile long n;

	while (clock() < end)
		for (n = 0; n < 100000; n++)
			;
}

int main()
{
	profil(histogram, sizeof histogram, 0, 2);
	work();
	profil(histogram, 0, 0, 0);
	if (!histogram[0])
		return 1;
	if (pcsample(samples, 8L) != 0)
		return 2;
	work();
	if (pcsample(samples, 0L) < 1 || !samples[0])
		return 3;
	return 0;
}
