/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for the BSDs: built with the flags of libprofil-bsd.pc alone.
 * Exit status 0: each way to profile left counts; otherwise the step that failed. */
#include <sys/types.h>
#include <unistd.h>

#include "original_work.h"

static unsigned short more[16];
static int i;

int main()
{
	if (profil((char *)histogram, sizeof histogram, (unsigned long)work & ~63UL, 65536))
		return 1;
	if (add_profil((char *)more, sizeof more, 0, 1))
		return 2;
	work();
	profil((char *)0, 0, 0, 0);
	for (i = 0; i < 4096; i++)
		if (histogram[i])
			return 0;
	return 3;
}
