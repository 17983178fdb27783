/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source for AIX that declares profil() itself: the libraries of libprofil-aix.pc choose the
 * flavour.  Exit status 0: every call followed AIX's rules; otherwise the step that failed.
 */
#include "declared_work.h"

/* AIX declares profil() void; a source that declares it int gets 0. */
int profil();

struct prof {
	char *p_low, *p_high;
	unsigned short *p_buff;
	int p_bufsize;
	unsigned int p_scale;
};

int main()
{
	struct prof list[2];

	/* Scale 2 counts all ticks in one counter, which stays at 65535. */
	counters[0] = 65534;
	if (profil(counters, sizeof counters, 0, 2))
		return 1;
	if (!work_to(counters, 65535))
		return 2;
	work_on();
	if (counters[0] != 65535)
		return 3;
	/* Only the low 16 bits of the scale matter: this turns the profile off. */
	profil(counters, sizeof counters, 0, 0x10000);
	counters[0] = 0;
	work_on();
	if (counters[0])
		return 4;
	/* The size -1, as an int, selects the second form. */
	list[0].p_low = (char *)work;
	list[0].p_high = list[0].p_low + 512;
	list[0].p_buff = (unsigned short *)counters;
	list[0].p_bufsize = sizeof counters;
	list[0].p_scale = 2;
	list[1].p_high = 0;
	profil(list, -1, 0, 0);
	if (!work(counters))
		return 5;
	return profil(&list[1], -1, 0, 0) ? 6 : 0;
}
