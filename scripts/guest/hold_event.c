// SPDX-License-Identifier: GPL-2.0-or-later
// Opens a perf event of the parent process, and leaves a process behind that holds it.
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	pid_t child;

	if (syscall(SYS_perf_event_open, &attr, getppid(), -1, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
		perror("hold_event: perf_event_open");
		return 1;
	}
	child = fork();
	while (!child)
		pause();
	if (child < 0)
		perror("hold_event: fork");
	return child < 0;
}
