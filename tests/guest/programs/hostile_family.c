// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/hostile_family.c  A program that says "+" on its output once it runs; then, for
 * each byte of its input, forks three children that execute a program, uses some CPU time, and says "+".
 */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int say(void)
{
	return write(1, "+", 1) == 1;
}

static void fork_and_exec(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void burn(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 20;

	while (clock() < end)
		;
}

int main(void)
{
	char order;

	if (!say())
		return 1;
	while (read(0, &order, 1) == 1) {
		for (int i = 0; i < 3; i++)
			fork_and_exec();
		burn();
		if (!say())
			return 1;
	}
	return 0;
}
