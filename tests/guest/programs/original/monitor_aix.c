/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the style of programs for AIX: a buffer, ranges, and memory that the library allocates. */
#include <errno.h>
#include <mon.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "original_work.h"

#define TEXT ((char *)((unsigned long)work & ~63UL))

static HISTCOUNTER buffer[1024];

static int counts(low, n)
int low;
int n;
{
	int i, sum = 0;

	for (i = low; i < low + n; i++)
		sum += buffer[i];
	memset(buffer, 0, sizeof buffer);
	return sum;
}

/* A gap after the first range, longer than one record of gmon.out. */
__asm__(".pushsection .text.between,\"ax\"; .skip 0x20000, 0x90; .popsection");

__attribute__((section(".text.far"), noinline)) static void far_work()
{
	clock_t end = clock() + CLOCKS_PER_SEC / 2;
	volatile long n;

	while (clock() < end)
		for (n = 0; n < 100000; n++)
			;
}

#define FAR ((char *)((unsigned long)far_work & ~63UL))

/* Without a free descriptor moncontrol() can stop the profile, but not start it again. */
static int cannot_start()
{
	struct rlimit before, none;
	int result;

	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	result = moncontrol(0) == 1 && moncontrol(1) == -1 && errno == EMFILE;
	setrlimit(RLIMIT_NOFILE, &before);
	return result && moncontrol(1) == 0;
}

int main()
{
	struct prof list[3];

	if (monitor(TEXT, TEXT + 512, buffer, 1024, -1) || moncontrol(1) != 1)
		return 1;
	work();
	if (!cannot_start() || moncontrol(0) != 1 || moncontrol(0) != 0)
		return 2;
	if (counts(0, 1024) == 0)
		return 3;
	work();
	if (counts(0, 1024) != 0 || monitor((char *)0))
		return 4;

	memset(list, 0, sizeof list);
	list[0].p_low = TEXT;
	list[0].p_high = TEXT + 512;
	list[0].p_buff = buffer;
	list[0].p_bufsize = 512;
	list[0].p_scale = -1;
	list[1].p_low = FAR;
	list[1].p_high = FAR + 512;
	list[1].p_buff = buffer + 256;
	list[1].p_bufsize = 512;
	list[1].p_scale = -1;
	if (monitor((char *)1, (char *)0, list, -1, -1))
		return 5;
	work();
	far_work();
	if (FAR - TEXT < 0x20000 || monitor((char *)0) || rename("gmon.out", "ranges.out"))
		return 6;
	if (counts(0, 512) == 0)
		return 6;
	list[1].p_low = TEXT + 511;
	if (monitor((char *)1, (char *)0, list, -1, -1) != -1 || errno != EINVAL)
		return 7;
	if (monitor(TEXT, TEXT, buffer, 1024, -1) != -1 || errno != EINVAL)
		return 8;
	if (monitor(TEXT, TEXT + 512, (HISTCOUNTER *)4096, 1024, -1) != -1 || errno != EFAULT)
		return 9;
	/* The bad buffer is not read. */
	if (monitor((char *)0))
		return 10;

	if (monstartup(-1, 0))
		return 11;
	work();
	/* exit() writes this profile. */
	return 0;
}
