// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/uapi_target.c  The program that tests execute.
 *
 *   uapi_target state               print the state of its self profile
 *   uapi_target wait                print a line, then wait for the end of its input
 *   uapi_target burn ADDRESS        loop at that address for ever
 *   uapi_target burn-again ADDRESS  execute this program again, then loop at that address
 *   uapi_target child ADDRESS USER  wait for a child that loops there as that user
 *   uapi_target vfork ADDRESS       loop in a child of vfork(2) until SIGUSR1; then the child
 *                                   executes this program again, and both loop at that address
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/profil.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/support/machine_code.h"

static int print_state(void)
{
	struct profil_status status = { .size = sizeof(status) };
	int fd = open("/dev/profil", O_RDWR);

	if (fd < 0 || ioctl(fd, PROFIL_STATUS, &status)) {
		perror("uapi_target: /dev/profil");
		return 1;
	}
	printf("%u\n", status.state);
	return 0;
}

static int wait_for_end(void)
{
	char c;

	puts("waiting");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}

static int burn(unsigned long address)
{
	void *at = mmap((void *)(address & -4096UL), 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at == MAP_FAILED) {
		perror("uapi_target: mmap");
		return 1;
	}
	memcpy((void *)address, code_loop_for_ever, sizeof(code_loop_for_ever));
	code_written((void *)address, sizeof(code_loop_for_ever));
	/* End even if the test fails and leaves this process behind. */
	alarm(60);
	code_run(address, -1);
	return 0;
}

static int burn_in_child(unsigned long address, uid_t user)
{
	pid_t child = fork();

	if (child < 0) {
		perror("uapi_target: fork");
		return 1;
	}
	if (child)
		return waitpid(child, NULL, 0) < 0;
	/* A change of the user ID clears PR_SET_PDEATHSIG. */
	if (setuid(user) || prctl(PR_SET_PDEATHSIG, SIGKILL)) {
		perror("uapi_target: becoming another user");
		_exit(1);
	}
	return burn(address);
}

static volatile sig_atomic_t told;

static void be_told(int signal)
{
	(void)signal;
	told = 1;
}

static int burn_after_vfork(char **argv)
{
	pid_t child;

	signal(SIGUSR1, be_told);
	child = vfork();
	if (child < 0) {
		perror("uapi_target: vfork");
		return 1;
	}
	if (!child) {
		while (!told)
			;
		execl(argv[0], argv[0], "burn", argv[2], NULL);
		_exit(1);
	}
	return burn(strtoul(argv[2], NULL, 0));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "state"))
		return print_state();
	if (argc == 2 && !strcmp(argv[1], "wait"))
		return wait_for_end();
	if (argc == 3 && !strcmp(argv[1], "burn"))
		return burn(strtoul(argv[2], NULL, 0));
	if (argc == 3 && !strcmp(argv[1], "burn-again")) {
		execl(argv[0], argv[0], "burn", argv[2], NULL);
		perror(argv[0]);
		return 1;
	}
	if (argc == 4 && !strcmp(argv[1], "child"))
		return burn_in_child(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0));
	if (argc == 3 && !strcmp(argv[1], "vfork"))
		return burn_after_vfork(argv);
	fputs("usage: uapi_target state | wait | {burn|burn-again|vfork} ADDRESS | child ADDRESS USER\n", stderr);
	return 2;
}
