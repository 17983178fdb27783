/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work for the programs that declare profil() themselves: they include none of libprofil's headers,
 * nor <unistd.h>, which also declares profil().
 */
#include <errno.h>
#include <sys/time.h>
#include <time.h>

static volatile unsigned short counters[16];

/* Run until the first or the second counter changes.  It calls nothing, so that no tick is in other
 * text.  Returns 0 if neither has changed.
 */
__attribute__((noinline, aligned(64), unused)) static int work(volatile unsigned short *watched)
{
	unsigned short first = watched[0], second = watched[1];
	volatile long n;

	for (n = 0; n < 300000000; n++)
		if (watched[0] != first || watched[1] != second)
			return 1;
	return 0;
}

/* Run until the first counter has this value, which it may have already. */
__attribute__((unused)) static int work_to(volatile unsigned short *watched, unsigned short value)
{
	volatile long n;

	for (n = 0; n < 300000000; n++)
		if (watched[0] == value)
			return 1;
	return 0;
}

/* Returns 1 if work() counts in the second counter.  Ticks in the text before work() count in the
 * first one, many at once where a busy machine delivers ticks late.
 */
__attribute__((unused)) static int work_in_second(volatile unsigned short *watched)
{
	int i;

	for (i = 0; i < 200; i++) {
		if (watched[1] >= 3 && watched[0] < watched[1])
			return 1;
		work(watched);
	}
	return 0;
}

/* Run for some more ticks at 100 Hz. */
__attribute__((unused)) static void work_on()
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < end)
		;
}
