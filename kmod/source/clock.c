// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock: one for all profiles, ticking on every CPU.
 *
 * It runs at the highest rate that any profile asks for, and each profile takes
 * its own share of the ticks.  So users with different periods do not put one
 * timer each on every CPU.
 *
 * It is a source as events are, which claims start and stop (source.c, serve.c).
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

static char *clock = "lazy";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "the clock: lazy (the default: a timer where a profiled task runs), perf (a perf event on each CPU)");

/*
 * The perf clock is a cpu-clock event, which is an hrtimer that passes on the interrupted
 * registers.  exclude_idle, because idle ticks would count towards perf's throttle.  The handler
 * never disables its event: Linux 6.16 and 6.17 deadlock there.
 */
struct profil_source profil_clock_source = {
	.ops		= &profil_counters_ops,
	.attr		= {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.size		= sizeof(struct perf_event_attr),
		.pinned		= 1,
		.exclude_idle	= 1,
		.exclude_hv	= 1,
	},
	.tick		= profil_perf_tick,
	.interrupts	= true,
	.least		= PROFIL_CLOCK_MIN,
	.cpu		= &profil_perf_cpu,
	.link		= LIST_HEAD_INIT(profil_clock_source.link),
	.users		= RB_ROOT_CACHED,
};

/* When profil_clock_look_all() last called other CPUs, in jiffies. */
static unsigned long looked;
static void profil_clock_look_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_later, profil_clock_look_work);

/**
 * profil_clock_period() - the current period of the clock
 *
 * Context: Process context.
 * Return: ns; 0 when it does not tick.
 */
u64 profil_clock_period(void)
{
	u64 period;

	spin_lock(&profil_sources_lock);
	period = profil_clock_source.runs ? profil_clock_source.period : 0;
	spin_unlock(&profil_sources_lock);
	return period;
}

/**
 * profil_clock_look_here() - look at the task on this CPU, which is now profiled
 *
 * Context: Any but hard interrupt.
 */
void profil_clock_look_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	profil_lazy_look(NULL);
	local_irq_restore(flags);
}

static void profil_clock_look_work(struct work_struct *work)
{
	on_each_cpu_mask(&profil_clock_source.cpus, profil_lazy_look, NULL, 0);
}

/**
 * profil_clock_look_all() - look at all running tasks, any of which may now be profiled
 *
 * The clock itself finds tasks that are switched in after this call.  Users may start profiles
 * as often as they like, so other CPUs are called at most twice in a jiffy: once directly, and
 * once for a look that was postponed in the previous jiffy.
 *
 * Context: Process context.
 */
void profil_clock_look_all(void)
{
	unsigned long last = READ_ONCE(looked);

	if (profil_clock_number != PROFIL_CLOCK_LAZY)
		return;
	if (!time_after(jiffies, last) || cmpxchg(&looked, last, jiffies) != last)
		queue_delayed_work(profil_wq, &look_later, 1);
	else
		profil_clock_look_work(NULL);
}

/**
 * profil_clock_look() - look at the tasks of an address space, which are now profiled
 * @mm: the address space, which cannot go away during the call
 *
 * Calling only the CPUs in mm_cpumask() would miss a task that is being switched in: it may be
 * past the probe before its CPU is in the mask.
 *
 * Context: Process context.
 */
void profil_clock_look(struct mm_struct *mm)
{
	profil_clock_look_here();
	/* Unless current is its only task. */
	if (mm != current->mm || atomic_read(&mm->mm_users) != 1)
		profil_clock_look_all();
}

/**
 * profil_clock_init() - set up the clock that the user has chosen
 *
 * Context: Process context.
 * Return: 0, to be undone by profil_clock_exit(), or -errno.
 */
int profil_clock_init(void)
{
	if (!strcmp(clock, "perf")) {
		profil_clock_number = PROFIL_CLOCK_PERF;
		return 0;
	}
	if (strcmp(clock, "lazy")) {
		pr_err("unknown clock '%s' (lazy, perf)\n", clock);
		return -EINVAL;
	}
	profil_clock_number = PROFIL_CLOCK_LAZY;
	profil_clock_source.ops = &profil_lazy_clock_ops;
	return profil_lazy_clock_init();
}

/**
 * profil_clock_exit() - wait for a postponed look at what other CPUs run
 *
 * Context: Process context; no users are left.
 */
void profil_clock_exit(void)
{
	cancel_delayed_work_sync(&look_later);
}
