/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source for the BSDs that declares profil() itself: the libraries of libprofil-bsd.pc choose the
 * flavour.  Exit status 0: every call followed the BSDs' rules; otherwise the step that failed.
 */
#include "declared_work.h"

extern int profil(), add_profil();

static volatile unsigned short more[16];

int main()
{
	unsigned long offset = (unsigned long)work - 0x10000;

	/* With scale 2 a counter covers 64 KiB, not all of the text. */
	if (profil(counters, sizeof counters, offset, 2))
		return 1;
	if (!work_in_second(counters))
		return 2;
	/* A scale above 0x10000 is an error, and changes nothing. */
	if (profil(counters, sizeof counters, offset, 0x10001) != -1 || errno != EINVAL || !work(counters))
		return 3;
	/* PCs that the first buffer does not cover count in the second. */
	if (profil(counters, sizeof counters, 0, 0x10000) || add_profil(more, sizeof more, offset, 2))
		return 4;
	if (!work_in_second(more))
		return 5;
	return profil(counters, sizeof counters, 0, 0) ? 6 : 0;
}
