/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for System V (SVID): the whole program in the program's own buffer. */
#include <mon.h>

#include "original_work.h"

extern int etext();

static WORD buffer[1024];

int main()
{
	int i;

	monitor((int (*)())2, etext, buffer, 1024, 0);
	work();
	work();
	monitor(0, 0, 0, 0, 0);
	for (i = 0; i < 1024; i++)
		if (buffer[i])
			return 0;
	return (int)histogram[0] + 1;
}
