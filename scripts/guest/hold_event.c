// SPDX-License-Identifier: GPL-2.0-or-later
// Opens perf events of the parent process, and leaves a process behind that holds them.
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	/* The kernel has a branch of its own for each of these. */
	static const __u64 events[] = {
		PERF_COUNT_SW_DUMMY,
		PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_CPU_MIGRATIONS,
		PERF_COUNT_SW_ALIGNMENT_FAULTS,
	};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
	};
	pid_t child;

	for (unsigned int i = 0; i < sizeof(events) / sizeof(*events); i++) {
		attr.config = events[i];
		if (syscall(SYS_perf_event_open, &attr, getppid(), -1, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
			perror("hold_event: perf_event_open");
			return 1;
		}
	}
	child = fork();
	while (!child)
		pause();
	if (child < 0)
		perror("hold_event: fork");
	return child < 0;
}
