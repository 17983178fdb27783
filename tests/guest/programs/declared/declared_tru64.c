/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source for Tru64 UNIX that does not declare profil() at all: the libraries of
 * libprofil-tru64.pc choose the flavour.  Exit status 0: every call followed Tru64's rules;
 * otherwise the step that failed.
 */
#include "declared_work.h"

struct profil_args {
	unsigned int *buffer;
	void *highpc, *lowpc, *offset;
	unsigned int scale;
};

static volatile unsigned int wide[16];

int main()
{
	struct profil_args range;
	char *offset = (char *)((unsigned long)work - 0x4000);

	/* (d * 4) >> 16 is 1 in work(): the index, 1 / 2, is rounded up. */
	profil(counters, sizeof counters, offset, 4);
	if (!work_in_second(counters))
		return 1;
	/* The offset -1, as an int, selects the ranges. */
	range.buffer = (unsigned int *)wide;
	range.lowpc = (void *)work;
	range.highpc = (char *)work + 511;
	range.offset = offset;
	range.scale = 16;
	profil(&range, 1, -1, 0);
	wide[1] = 0xffff;
	if (!work((volatile unsigned short *)&wide[1]) || wide[1] < 0x10000)
		return 2;
	profil(0, 0, 0, 0);
	return 0;
}
