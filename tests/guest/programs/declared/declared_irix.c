/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source for IRIX that declares profil() itself: the libraries of libprofil-irix.pc choose the
 * flavour.  Exit status 0: every call followed IRIX's rules; otherwise the step that failed.
 */
#include "declared_work.h"

extern int profil(), sprofil();

struct prof {
	void *pr_base;
	unsigned int pr_size;
	unsigned long pr_off;
	unsigned int pr_scale;
};

#define PROF_UINT 2
#define PROF_FAST 4

static volatile unsigned int wide[2];

int main()
{
	struct prof one;
	struct timeval tick;

	/* Scale 2 counts all ticks in one counter, which wraps. */
	counters[0] = 65535;
	if (profil(counters, sizeof counters, 0, 2))
		return 1;
	if (!work(counters) || counters[0] > 100)
		return 2;
	/* IRIX's values: PROF_UINT is 32 bits, and PROF_FAST is 1000 Hz. */
	one.pr_base = (void *)wide;
	one.pr_size = sizeof wide;
	one.pr_off = 0;
	one.pr_scale = 2;
	wide[0] = 0xffff;
	if (sprofil(&one, 1, &tick, PROF_UINT | PROF_FAST) || tick.tv_sec || tick.tv_usec != 1000)
		return 3;
	if (!work((volatile unsigned short *)wide) || wide[0] < 0x10000)
		return 4;
	if (sprofil(&one, 1, (struct timeval *)0, 0) != -1 || errno != EINVAL)
		return 5;
	return profil((unsigned short *)0, 0, 0, 0) ? 6 : 0;
}
