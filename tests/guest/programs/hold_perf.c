// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hold a perf event on oneself until killed.
 *
 * While a task has an event, the kernel's scheduler runs with a branch that is
 * patched in; with the last event it is patched out again.  QEMU 7.2's TCG,
 * with a thread for each CPU, now and then runs the breakpoint that stood there
 * while it was patched, after it is gone (Oops: int3 in __schedule, from
 * perf_sched_delayed).  With this program beside the tests nothing is patched.
 */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.size = sizeof(attr);
	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
		return 1;
	for (;;)
		pause();
}
