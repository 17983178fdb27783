// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lazy clock: an hrtimer on each CPU, armed when a profiled task is switched
 * in, and not rearmed when it finds no such task.
 *
 * Context: process
 */
#include "source/source.h"

#include "compat.h"

#include <linux/cpu.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

static struct tracepoint *sched_switch;

static int profil_lazy_clock_set(unsigned int cpu, u64 period)
{
	if (READ_ONCE(per_cpu(profil_lazy_clocks, cpu).period) == period)
		return 0;
	return smp_call_function_single(cpu, profil_lazy_begin, &period, 1);
}

/* A CPU that goes offline meanwhile would keep its timer. */
static int profil_lazy_clock_start(struct profil_source *clock, unsigned int cpu, u64 period)
{
	int err = -ENODEV;

	/* The lock may have to wait for a CPU that comes online. */
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
 * @cpu: the CPU; of an offline one it was stopped before
 *
 * Afterwards its timer does not run and is not queued.
 *
 * Context: Process context; also the CPU's hotplug callback, whatever the clock is.
 */
void profil_lazy_clock_stop(struct profil_source *clock, unsigned int cpu)
{
	profil_lazy_clock_set(cpu, 0);
}

/**
 * profil_lazy_clock_online() - start the clock of a CPU that comes online, before it has tasks
 * @clock: the clock that is in use; the CPU becomes one of those on which it ticks
 * @cpu: the CPU
 *
 * Context: The CPU's hotplug callback; profil_sources_lock is held.
 */
void profil_lazy_clock_online(struct profil_source *clock, unsigned int cpu)
{
	if (clock->ops == &profil_lazy_clock_ops && clock->runs && profil_clock_wants_cpu(cpu) &&
	    !profil_lazy_clock_set(cpu, clock->period))
		cpumask_set_cpu(cpu, &clock->cpus);
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

const struct profil_source_ops profil_lazy_clock_ops = {
	.open	= profil_lazy_clock_open,
	.close	= profil_lazy_clock_close,
	.start	= profil_lazy_clock_start,
	.stop	= profil_lazy_clock_stop,
};

/**
 * profil_lazy_clock_init() - prepare the timers
 *
 * Context: Process context.
 * Return: 0 or -ENOENT.
 */
int profil_lazy_clock_init(void)
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
