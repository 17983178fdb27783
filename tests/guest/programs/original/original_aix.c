/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for AIX: built with the flags of libprofil-aix.pc alone.
 * Exit status 0: each way to profile left counts; otherwise the step that failed. */
#include <mon.h>
#include <unistd.h>

#include "original_work.h"

static HISTCOUNTER counters[1024];
static int i;

int main()
{
	struct prof list[2];

	profil(histogram, sizeof histogram, 0, 2);
	work();
	profil(histogram, sizeof histogram, 0, 0);
	if (!histogram[0])
		return 1;
	list[0].p_low = (char *)((unsigned long)work & ~63UL);
	list[0].p_high = list[0].p_low + 4096;
	list[0].p_buff = counters;
	list[0].p_bufsize = sizeof counters;
	list[0].p_scale = -1;
	list[1].p_high = 0;
	profil((unsigned short *)list, -1, 0, 0);
	work();
	list[0].p_high = 0;
	profil((unsigned short *)list, -1, 0, 0);
	for (i = 0; i < 1024; i++)
		if (counters[i])
			return 0;
	return 2;
}
