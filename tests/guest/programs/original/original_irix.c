/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for IRIX: built with the flags of libprofil-irix.pc alone.
 * Exit status 0: each way to profile left counts; otherwise the step that failed. */
#include <sys/types.h>
#include <sys/profil.h>
#include <unistd.h>

#include "original_work.h"

int main()
{
	struct prof one;
	struct timeval tv;

	if (profil(histogram, sizeof histogram, 0, 2))
		return 1;
	work();
	if (!histogram[0])
		return 2;
	histogram[0] = 0;
	one.pr_base = histogram;
	one.pr_size = sizeof histogram;
	one.pr_off = 0;
	one.pr_scale = 2;
	if (sprofil(&one, 1, &tv, PROF_USHORT | PROF_FAST) || tv.tv_usec != 10000 / PROF_FAST_CNT)
		return 3;
	work();
	if (!histogram[0])
		return 4;
	return 0;
}
