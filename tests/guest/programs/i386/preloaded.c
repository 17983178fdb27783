/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked against libc alone, for LD_PRELOAD: sprofil() of libc's <sys/profil.h>. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

static volatile unsigned int counters[1024], rest;
static volatile unsigned long sink;

__attribute__((noinline, noclone, aligned(4096))) static void work(unsigned long rounds)
{
	while (rounds--)
		sink += rounds;
}

/* Prints the ticks in work(), the length of a tick in us, and 1 if a profiling timer runs. */
int main(void)
{
	struct prof list[2] = {
		{ .pr_base = (void *)counters, .pr_size = sizeof(counters), .pr_off = (size_t)work, .pr_scale = 0x10000 },
		{ .pr_base = (void *)&rest, .pr_size = sizeof(rest), .pr_off = 0, .pr_scale = 2 },
	};
	struct timeval tick = { 0 };
	struct itimerval timer;
	unsigned int sum = 0;

	if (sprofil(list, 2, &tick, PROF_UINT)) {
		perror("sprofil");
		return 1;
	}
	while (sum < 10) {
		work(1000000);
		sum = 0;
		/* work() is shorter than 256 bytes. */
		for (int i = 0; i < 64; i++)
			sum += counters[i];
	}
	getitimer(ITIMER_PROF, &timer);
	sprofil(NULL, 0, NULL, 0);
	printf("%u %ld %d\n", sum, (long)tick.tv_usec, timer.it_interval.tv_usec != 0);
	return 0;
}
