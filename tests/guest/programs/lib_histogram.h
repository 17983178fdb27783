/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that profiles itself with profil() of <unistd.h>.
 *
 * Prints the counts of its two functions (the second one runs four times as long), the sum of all
 * other counts, the CPU time in ticks of 100 Hz, and 1 if a profiling timer runs (libc's own profil
 * needs one).
 */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define TEXT 8192
#define SHIFT 7 /* a counter for 128 bytes of text */
#define WORK __attribute__((noinline, noclone, aligned(4096)))

static unsigned short counters[TEXT >> SHIFT];

static volatile unsigned long sink;

static WORK void seldom(unsigned long rounds)
{
	while (rounds--)
		sink += rounds;
}

static WORK void often(unsigned long rounds)
{
	while (rounds--)
		sink ^= rounds;
}

static unsigned count(void (*function)(unsigned long), uintptr_t text)
{
	size_t first = ((uintptr_t)function - text) >> SHIFT;
	unsigned sum = 0;

	/* Neither function is longer than 128 bytes. */
	if (first < sizeof counters / sizeof *counters)
		sum = counters[first];
	return sum;
}

static unsigned count_all(void)
{
	unsigned sum = 0;
	size_t i;

	for (i = 0; i < sizeof counters / sizeof *counters; i++)
		sum += counters[i];
	return sum;
}

static unsigned cpu_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 100 + now.tv_nsec / 10000000;
}

int main(void)
{
	uintptr_t text = (uintptr_t)seldom < (uintptr_t)often ? (uintptr_t)seldom : (uintptr_t)often;
	struct itimerval timer;

	if (profil(counters, sizeof counters, text, 0x20000 >> SHIFT)) {
		perror("profil");
		return 1;
	}
	while (count_all() < 60) {
		seldom(100000);
		often(400000);
	}
	getitimer(ITIMER_PROF, &timer);
	profil(counters, sizeof counters, 0, 0);
	printf("%u %u %u %u %d\n", count(seldom, text), count(often, text),
	       count_all() - count(seldom, text) - count(often, text), cpu_ticks(),
	       timer.it_interval.tv_sec || timer.it_interval.tv_usec);
	return 0;
}
