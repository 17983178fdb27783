/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for Tru64 UNIX: a buffer with its size in bytes. */
#include <errno.h>
#include <mon.h>

#include "original_work.h"

#define TEXT ((char *)((unsigned long)work & ~63UL))

static unsigned short buffer[2][256];

int main()
{
	int i;

	if (monitor(TEXT, TEXT + 512, buffer[0], sizeof buffer[0], 0))
		return 1;
	work();
	if (monitor((char *)0, (char *)0, (char *)0, 0, 0))
		return 2;
	for (i = 0; i < 256; i++)
		if (buffer[1][i])
			return 3;
	if (monitor((char *)-1, (char *)0, buffer[0], 1, 0) != -1 || errno != EINVAL)
		return 4;
	for (i = 0; i < 256; i++)
		if (buffer[0][i])
			return 0;
	return (int)histogram[0] + 5;
}
