/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for Tru64 UNIX: built with the flags of libprofil-tru64.pc alone.
 * Exit status 0: each way to profile left counts; otherwise the step that failed. */
#include <sys/resource.h>
#include <unistd.h>

#include "original_work.h"

static unsigned int counters[1024];
static int i;

int main()
{
	struct profil_args args[1];

	profil(histogram, sizeof histogram, (void *)0, PROFIL_SCALE_TOTAL);
	work();
	if (!histogram[0])
		return 1;
	args[0].buffer = counters;
	args[0].lowpc = (void *)((unsigned long)work & ~63UL);
	args[0].highpc = (char *)args[0].lowpc + 4095;
	args[0].offset = args[0].lowpc;
	args[0].scale = 0x10000;
	profil(args, 1, -1, 0);
	work();
	profil(0, 0, 0, 0);
	for (i = 0; i < 1024; i++)
		if (counters[i])
			return 0;
	return 2;
}
