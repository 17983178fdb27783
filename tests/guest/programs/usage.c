/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Usage: usage FILE COMMAND...
 *
 * Runs a command, and writes a line to FILE: CPU seconds of the command and its children, and their
 * peak memory in KiB.  The exit status is the command's.  This program uses little itself, because
 * benchmarks include it.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage used;
	FILE *file;
	int status;
	pid_t pid;

	if (argc < 3) {
		fputs("Usage: usage FILE COMMAND...\n", stderr);
		return 2;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0) {
		perror("usage");
		return 1;
	}
	file = fopen(argv[1], "w");
	if (!file ||
	    fprintf(file, "%.4f %ld\n", seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss) <
		    0 ||
	    fclose(file)) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
