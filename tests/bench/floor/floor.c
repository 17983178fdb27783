// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floors of the benchmarks.  On each CPU, this module has one of
 * - a perf cpu-clock event with an empty handler, and the attributes of the perf clock
 *   (kmod/source/clock.c);
 * - a perf page-faults event with an empty handler, and the attributes of counters.c;
 * - a timer that only restarts itself, as the timer of tick_lazy.c does.
 */
#include "compat.h"

#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

static unsigned long period = 1000000;
module_param(period, ulong, 0444);
MODULE_PARM_DESC(period, "ns between ticks, or page faults");

static bool timer;
module_param(timer, bool, 0444);
MODULE_PARM_DESC(timer, "a timer, and no perf event");

static bool faults;
module_param(faults, bool, 0444);
MODULE_PARM_DESC(faults, "page faults tick, and no clock");

static DEFINE_PER_CPU(struct perf_event *, events);
static DEFINE_PER_CPU(struct hrtimer, timers);

static void tick(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

static enum hrtimer_restart timer_tick(struct hrtimer *own)
{
	hrtimer_set_expires(own, ktime_add_ns(hrtimer_get_expires(own), period));
	return HRTIMER_RESTART;
}

static void timer_begin(void *unused)
{
	hrtimer_start(this_cpu_ptr(&timers), ktime_add_ns(ktime_get(), period),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

static void floor_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (timer)
			hrtimer_cancel(&per_cpu(timers, cpu));
		if (per_cpu(events, cpu))
			perf_event_release_kernel(per_cpu(events, cpu));
	}
}

static int __init floor_init(void)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.size		= sizeof(attr),
		.sample_period	= period,
		.pinned		= 1,
		.exclude_idle	= 1,
		.exclude_hv	= 1,
	};
	struct perf_event_attr faults_attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_PAGE_FAULTS,
		.size		= sizeof(faults_attr),
		.sample_period	= period,
		.exclude_kernel	= 1,
	};
	struct perf_event *event;
	unsigned int cpu;
	int err = 0;

	if (timer) {
		for_each_possible_cpu(cpu)
			profil_hrtimer_setup(per_cpu_ptr(&timers, cpu), timer_tick, CLOCK_MONOTONIC,
					     HRTIMER_MODE_ABS_PINNED_HARD);
		on_each_cpu(timer_begin, NULL, 1);
		return 0;
	}
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(faults ? &faults_attr : &attr, cpu,
							 NULL, tick, NULL);
		if (IS_ERR(event)) {
			err = PTR_ERR(event);
			floor_stop();
			break;
		}
		per_cpu(events, cpu) = event;
	}
	cpus_read_unlock();
	return err;
}

static void __exit floor_exit(void)
{
	floor_stop();
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Empty perf handler, or timer: the floors of profil's benchmarks");
