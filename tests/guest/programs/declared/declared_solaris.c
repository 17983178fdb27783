/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source for Solaris that declares profil() itself: the libraries of libprofil-solaris.pc choose
 * the flavour.  Exit status 0: every call followed Solaris's rules; otherwise the step that failed.
 */
#include "declared_work.h"

extern void profil();

int main()
{
	/* Scale 2 counts all ticks in one counter, which stops at 32767. */
	counters[0] = 32766;
	profil(counters, sizeof counters, 0, 2);
	if (!work_to(counters, 32767))
		return 1;
	work_on();
	if (counters[0] != 32767)
		return 2;
	profil(counters, 0, 0, 0);
	return 0;
}
