// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock: one for all profiles, ticking on every CPU.
 *
 * It runs at the highest rate that any profile asks for, and each profile takes
 * its own share of the ticks.  So users with different periods do not put one
 * timer each on every CPU.
 *
 * Like an event, the clock is a source: profiles' claims on it start and stop it (source.c,
 * serve.c).  There are two kinds of clock, and a module parameter chooses one.  The lazy clock is
 * an hrtimer on each CPU, armed when a profiled task is switched in, and not rearmed when it
 * interrupts any other task.  The perf clock is a perf event on each CPU.
 *
 * Context: process
 */
#include "source/source.h"

#include "compat.h"

#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/profil.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

static struct tracepoint *sched_switch;

static int profil_lazy_clock_set(unsigned int cpu, u64 period)
{
	if (READ_ONCE(per_cpu(profil_lazy_clocks, cpu).period) == period)
		return 0;
	return smp_call_function_single(cpu, profil_lazy_begin, &period, 1);
}

/* Holds off CPU hotplug: a CPU that goes offline meanwhile would keep its timer. */
static int profil_lazy_clock_start(struct profil_source *clock, unsigned int cpu, u64 period)
{
	int err = -ENODEV;

	/* Avoid the lock, which may have to wait for a CPU that comes online. */
	if (READ_ONCE(per_cpu(profil_lazy_clocks, cpu).period) == period)
		return 0;
	cpus_read_lock();
	if (cpu_online(cpu))
		err = profil_lazy_clock_set(cpu, period);
	cpus_read_unlock();
	return err;
}

/**
 * profil_lazy_clock_stop() - stop the clock of a CPU
 * @clock: unused
 * @cpu: the CPU; if it is offline, its clock was stopped before
 *
 * Afterwards the CPU's timer does not run and is not queued.
 *
 * Context: Process context; also the CPU's hotplug callback, whichever clock is in use.
 */
void profil_lazy_clock_stop(struct profil_source *clock, unsigned int cpu)
{
	profil_lazy_clock_set(cpu, 0);
}

static int profil_lazy_clock_open(void)
{
	return tracepoint_probe_register(sched_switch, profil_lazy_switch, NULL);
}

static void profil_lazy_clock_close(void)
{
	tracepoint_probe_unregister(sched_switch, profil_lazy_switch, NULL);
	tracepoint_synchronize_unregister();
}

static const struct profil_source_ops profil_lazy_clock_ops = {
	.open	= profil_lazy_clock_open,
	.close	= profil_lazy_clock_close,
	.start	= profil_lazy_clock_start,
	.stop	= profil_lazy_clock_stop,
};

/**
 * profil_lazy_clock_online() - start the clock of a CPU that comes online, before it has tasks
 * @clock: the clock that is in use
 * @cpu: the CPU
 *
 * Context: The CPU's hotplug callback; profil_sources_lock is held.
 * Return: true if it ticks.
 */
bool profil_lazy_clock_online(struct profil_source *clock, unsigned int cpu)
{
	return clock->ops == &profil_lazy_clock_ops && clock->runs &&
	       profil_clock_wants_cpu(cpu) && !profil_lazy_clock_set(cpu, clock->period);
}

/* Prepare the timers.  Return: 0 or -ENOENT. */
static int profil_lazy_clock_init(void)
{
	unsigned int cpu;

	/* If a kernel changes the tracepoint's arguments, the build fails here. */
	check_trace_callback_type_sched_switch(profil_lazy_switch);
	sched_switch = profil_tracepoint_find("sched_switch");
	if (!sched_switch)
		return -ENOENT;
	get_random_bytes(&profil_lazy_key, sizeof(profil_lazy_key));
	for_each_possible_cpu(cpu)
		profil_hrtimer_setup(&per_cpu(profil_lazy_clocks, cpu).timer, profil_lazy_tick,
				     CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

static char *clock = "lazy";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "the clock: lazy (the default: a timer where a profiled task runs), perf (a perf event on each CPU)");

/*
 * The perf clock is a cpu-clock event, which is an hrtimer that passes on the interrupted
 * registers.  exclude_idle is set because idle ticks would count towards perf's throttle.  The
 * handler never disables its event, because Linux 6.16 and 6.17 deadlock then.
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
 * Return: ns; 0 if it does not tick.
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
	/* If current is the only task of @mm, the other CPUs need not look. */
	if (mm != current->mm || atomic_read(&mm->mm_users) != 1)
		profil_clock_look_all();
}

/**
 * profil_clock_init() - set up the clock that the module parameter chooses
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
 * profil_clock_exit() - cancel a postponed look at the tasks of other CPUs
 *
 * Context: Process context; no users are left.
 */
void profil_clock_exit(void)
{
	cancel_delayed_work_sync(&look_later);
}
