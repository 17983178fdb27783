/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source for Tru64 UNIX that declares the structure of version 5's headers itself, and profil() not at
 * all: built with -Dprofil=profil_tru64_v5.  Exit status 0: its range was counted.
 */
#include "../declared/declared_work.h"

struct profil_args {
	unsigned int *buffer;
	void *highpc, *lowpc;
	unsigned long scale;
};

int main()
{
	struct profil_args range;

	range.buffer = (unsigned int *)counters;
	range.lowpc = (void *)work;
	range.highpc = (char *)work + 511;
	range.scale = 2;
	profil(&range, 1, -1, 0);
	if (!work(counters))
		return 1;
	profil(0, 0, 0, 0);
	return 0;
}
