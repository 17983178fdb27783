/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the style of the gmon.c that old programs bring along: monstartup(), moncontrol(),
 * _mcleanup() and _mcount() of its own, which call profil().
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "original_work.h"

static unsigned short *counters;
static char *s_lowpc;
static unsigned long s_textsize;
static int profiling = 3;
static int calls;

void moncontrol(mode)
int mode;
{
	if (mode) {
		profil(counters, s_textsize / 4 * sizeof *counters, (unsigned long)s_lowpc, 0x8000);
		profiling = 0;
	} else {
		profil(counters, 0, 0, 0);
		profiling = 3;
	}
}

void monstartup(lowpc, highpc)
char *lowpc, *highpc;
{
	s_lowpc = lowpc;
	s_textsize = highpc - lowpc;
	counters = calloc(s_textsize / 4, sizeof *counters);
	moncontrol(1);
}

void _mcount()
{
	calls++;
}

void _mcleanup()
{
	unsigned long i, sum = 0;

	moncontrol(0);
	for (i = 0; i < s_textsize / 4; i++)
		sum += counters[i];
	printf("%lu ticks, %d call, %d\n", sum, calls, profiling);
}

int main()
{
	char *text = (char *)((unsigned long)work & ~63UL);

	monstartup(text, text + 4096);
	_mcount();
	work();
	_mcleanup();
	return 0;
}
