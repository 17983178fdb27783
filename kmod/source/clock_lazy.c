// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lazy clock: an hrtimer on each CPU, armed when a profiled task is switched
 * in, and not rearmed when it finds no such task.
 *
 * Context: process
 */
#include "source/source.h"

#include "compat.h"

#include <linux/random.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

static struct tracepoint *sched_switch;

static int profil_lazy_clock_start(unsigned int cpu, u64 period)
{
	return smp_call_function_single(cpu, profil_lazy_begin, &period, 1);
}

static void profil_lazy_clock_stop(unsigned int cpu)
{
	u64 never = 0;

	smp_call_function_single(cpu, profil_lazy_begin, &never, 1);
	hrtimer_cancel(&per_cpu_ptr(&profil_lazy_clocks, cpu)->timer);
}

static int profil_lazy_clock_init(void)
{
	struct profil_lazy_clock *clock;
	unsigned int cpu;

	/* If a kernel changes the tracepoint's arguments, the build fails here. */
	check_trace_callback_type_sched_switch(profil_lazy_switch);
	sched_switch = profil_tracepoint_find("sched_switch");
	if (!sched_switch)
		return -ENOENT;
	get_random_bytes(&profil_lazy_key, sizeof(profil_lazy_key));
	for_each_possible_cpu(cpu) {
		clock = per_cpu_ptr(&profil_lazy_clocks, cpu);
		profil_hrtimer_setup(&clock->timer, profil_lazy_tick, CLOCK_MONOTONIC,
				     HRTIMER_MODE_ABS_PINNED_HARD);
	}
	return 0;
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

const struct profil_clock_ops profil_clock_lazy = {
	.init		= profil_lazy_clock_init,
	.open		= profil_lazy_clock_open,
	.close		= profil_lazy_clock_close,
	.start		= profil_lazy_clock_start,
	.set_period	= profil_lazy_clock_start,
	.stop		= profil_lazy_clock_stop,
	.look		= profil_lazy_look,
};
