// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/record_short.c  A storm of short programs, or one of them.
 *
 *   record_short NUMBER HOW    start NUMBER programs, one after another, each by HOW:
 *                              fork (no exec), exec (fork and exec), vfork (vfork and exec)
 *   record_short               be such a program: about a million instructions
 *
 * Linked statically, so that none of them waits for libraries on a file system of the host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(void)
{
	volatile unsigned int i;

	for (i = 0; i < 200000; i++)
		;
	return 0;
}

static pid_t start(const char *self, const char *how)
{
	pid_t child = !strcmp(how, "vfork") ? vfork() : fork();

	if (child)
		return child;
	if (!strcmp(how, "fork"))
		_exit(work());
	execl(self, self, (char *)NULL);
	_exit(127);
}

int main(int argc, char **argv)
{
	int i, status;

	if (argc == 1)
		return work();
	if (argc != 3) {
		fprintf(stderr, "Usage: record_short [NUMBER HOW]\n");
		return 2;
	}
	for (i = 0; i < atoi(argv[1]); i++) {
		pid_t child = start(argv[0], argv[2]);

		if (child < 0 || waitpid(child, &status, 0) != child || status) {
			perror("record_short");
			return 1;
		}
	}
	return 0;
}
