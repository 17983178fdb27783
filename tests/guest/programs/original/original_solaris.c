/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for Solaris: built with the flags of libprofil-solaris.pc alone.
 * Exit status 0: each way to profile left counts; otherwise the step that failed. */
#include <unistd.h>
#include <pcsample.h>

#include "original_work.h"

static uintptr_t samples[8];

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
