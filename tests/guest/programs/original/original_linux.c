/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for Linux: built with the flags of libprofil-linux.pc alone.
 * Exit status 0: each way to profile left counts; otherwise the step that failed. */
#include <sys/types.h>
#include <sys/profil.h>
#include <unistd.h>

#include "original_work.h"

static unsigned int counters[4];
static int i;

int main()
{
	struct prof one;

	if (profil(histogram, sizeof histogram, (unsigned long)work & ~63UL, 65536))
		return 1;
	work();
	for (i = 0; i < 4096 && !histogram[i]; i++)
		;
	if (i == 4096)
		return 2;
	one.pr_base = counters;
	one.pr_size = sizeof counters;
	one.pr_off = 0;
	one.pr_scale = 2;
	if (sprofil(&one, 1, (struct timeval *)0, PROF_UINT))
		return 3;
	work();
	return counters[0] ? 0 : 4;
}
