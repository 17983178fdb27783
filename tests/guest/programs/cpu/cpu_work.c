/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that knows nothing of profiles.
 *
 * Usage: cpu_work MS
 *
 * Spends MS milliseconds of CPU time in burn(), and as much in a forked child's burn_in_child().
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long counter;

static clock_t until(long ms)
{
	return clock() + ms * (CLOCKS_PER_SEC / 1000);
}

__attribute__((noinline)) static void burn(long ms)
{
	for (const clock_t end = until(ms); clock() < end;)
		for (int i = 0; i < 1000000; i++)
			counter++;
}

__attribute__((noinline)) static void burn_in_child(long ms)
{
	for (const clock_t end = until(ms); clock() < end;)
		for (int i = 0; i < 1000000; i++)
			counter += 2;
}

int main(int argc, char **argv)
{
	const long ms = argc > 1 ? atol(argv[1]) : 0;
	const pid_t child = fork();

	if (!child) {
		burn_in_child(ms);
		exit(0);
	}
	burn(ms);
	return child < 0 || waitpid(child, NULL, 0) != child;
}
