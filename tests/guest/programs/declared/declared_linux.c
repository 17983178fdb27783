/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source for Linux that declares profil() itself: the libraries of libprofil-linux.pc choose the
 * flavour.  Exit status 0: every call followed Linux's rules; otherwise the step that failed.
 */
#include "declared_work.h"

extern int profil(), sprofil();

struct prof {
	void *pr_base;
	unsigned long pr_size, pr_off, pr_scale;
};

#define PROF_UINT 1

static volatile unsigned int wide[2];

int main()
{
	struct prof one;
	struct timeval tick;
	unsigned long offset = (unsigned long)work - 0x10000;

	/* With scale 2 a counter covers 64 KiB, and scales above 0x10000 are valid. */
	if (profil(counters, sizeof counters, offset, 2))
		return 1;
	if (!work_in_second(counters))
		return 2;
	if (profil(counters, sizeof counters, offset, 0x20000))
		return 3;
	/* Linux's values: PROF_UINT is 32 bits, and the rate without PROF_FAST is 100 Hz. */
	one.pr_base = (void *)wide;
	one.pr_size = sizeof wide;
	one.pr_off = 0;
	one.pr_scale = 2;
	wide[0] = 0xffff;
	if (sprofil(&one, 1, &tick, PROF_UINT) || tick.tv_sec || tick.tv_usec != 10000)
		return 4;
	if (!work((volatile unsigned short *)wide) || wide[0] < 0x10000)
		return 5;
	return profil((unsigned short *)0, 0, 0, 0) ? 6 : 0;
}
