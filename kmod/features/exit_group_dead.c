// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.16, sched_process_exit says whether the thread is the last one of its process. */
#include <trace/events/sched.h>

static void probe(void *data, struct task_struct *task, bool group_dead)
{
}

static void check(void)
{
	check_trace_callback_type_sched_process_exit(probe);
}

void (*use)(void) = check;
