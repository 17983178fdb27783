// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of one event: a perf event on each CPU.
 *
 * Nothing here locks, as only the work item of serve.c touches counters: whatever is done to those
 * of another CPU interrupts it.  Perf itself takes an event from a CPU that goes offline.
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/err.h>
#include <linux/slab.h>

/**
 * profil_counters_init() - prepare to count an event
 * @counters: filled in, without a counter yet; zero before
 * @attr: what is to be counted
 * @tick: what perf is to call at each sample
 * @context: for @tick
 *
 * Context: Process context, may sleep.
 * Return: 0, or -ENOMEM; profil_counters_free() undoes either.
 */
int profil_counters_init(struct profil_counters *counters, const struct perf_event_attr *attr,
			 perf_overflow_handler_t tick, void *context)
{
	counters->attr = *attr;
	counters->tick = tick;
	counters->context = context;
	counters->event = alloc_percpu_gfp(struct perf_event *, GFP_KERNEL_ACCOUNT);
	return counters->event ? 0 : -ENOMEM;
}

/**
 * profil_counters_free() - undo profil_counters_init()
 * @counters: released, or never run
 *
 * Context: Process context, may sleep.
 */
void profil_counters_free(struct profil_counters *counters)
{
	free_percpu(counters->event);
}

static int profil_counters_start(struct profil_counters *counters, unsigned int cpu, u64 period)
{
	struct perf_event_attr attr = counters->attr;
	struct perf_event *event;

	attr.sample_period = period;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, counters->tick,
						 counters->context);
	/* Offline: the CPU is marked stale when it comes online. */
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV ? 0 : PTR_ERR(event);
	*per_cpu_ptr(counters->event, cpu) = event;
	return 0;
}

static void profil_counters_add_time(struct profil_source_time *time, struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	time->enabled += enabled;
	time->running += running;
}

static void profil_counters_stop(struct profil_counters *counters, unsigned int cpu)
{
	struct perf_event **event = per_cpu_ptr(counters->event, cpu);

	if (!*event)
		return;
	profil_counters_add_time(&counters->past, *event);
	perf_event_release_kernel(*event);
	*event = NULL;
}

/**
 * profil_counters_are_stale() - does profil_counters_run() have anything to do?
 * @counters: which have run
 * @cpus: where the event is to be counted
 *
 * Context: Any.
 * Return: true if @cpus has changed, or if perf may have taken an event.
 */
bool profil_counters_are_stale(const struct profil_counters *counters, const struct cpumask *cpus)
{
	return !cpumask_empty(&counters->stale) || !cpumask_equal(&counters->counted, cpus);
}

/**
 * profil_counters_run() - count an event on those CPUs, and on no others
 * @counters: initialised; may run already
 * @period: for new counters
 * @cpus: where it is to be counted, if they are online
 *
 * Where CPUs are of several kinds, a PMU refuses those of the other kinds (-ENOENT): one that can
 * count is enough.  Other errors do not keep the rest from counting.  The credentials are those of
 * a kernel thread: a profiled user may not be allowed to count what all CPUs do.
 *
 * Context: Process context of a kernel thread, may sleep.
 * Return: 0; -ENOENT if no CPU can count it; the first other error of perf's.
 */
int profil_counters_run(struct profil_counters *counters, u64 period, const struct cpumask *cpus)
{
	bool counts = false, refused = false;
	int err, first = 0;
	unsigned int cpu;

	cpumask_copy(&counters->counted, cpus);
	for_each_possible_cpu(cpu) {
		bool wanted = cpumask_test_cpu(cpu, cpus);

		if (cpumask_test_and_clear_cpu(cpu, &counters->stale) || !wanted)
			profil_counters_stop(counters, cpu);
		err = 0;
		if (wanted && !*per_cpu_ptr(counters->event, cpu))
			err = profil_counters_start(counters, cpu, period);
		if (err == -ENOENT)
			refused = true;
		else if (!first)
			first = err;
		counts |= !!*per_cpu_ptr(counters->event, cpu);
	}
	return refused && !counts && !first ? -ENOENT : first;
}

/**
 * profil_counters_set_period() - set the number of events between two samples
 * @counters: which may run
 * @period: the number
 *
 * If a PMU refuses, its ticks still say which period they stand for.
 *
 * Context: Process context, may sleep.
 */
void profil_counters_set_period(struct profil_counters *counters, u64 period)
{
	struct perf_event *event;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		event = *per_cpu_ptr(counters->event, cpu);
		/* Perf takes the PMU from an event when that PMU is unregistered. */
		if (event && READ_ONCE(event->pmu))
			perf_event_period(event, period);
	}
}

/**
 * profil_counters_read() - ask each CPU how long it has counted
 * @counters: which may run
 * @time: receives the sum
 *
 * Context: Process context, may sleep.
 */
void profil_counters_read(struct profil_counters *counters, struct profil_source_time *time)
{
	struct perf_event *event;
	unsigned int cpu;

	*time = counters->past;
	for_each_possible_cpu(cpu) {
		event = *per_cpu_ptr(counters->event, cpu);
		if (event)
			profil_counters_add_time(time, event);
	}
}

/**
 * profil_counters_release() - stop counting
 * @counters: which may run, but no longer do afterwards
 *
 * A tick may have begun before its event was released, so a grace period has to pass before what it
 * reaches is freed.
 *
 * Context: Process context, may sleep.
 */
void profil_counters_release(struct profil_counters *counters)
{
	struct perf_event **event;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		event = per_cpu_ptr(counters->event, cpu);
		if (*event)
			perf_event_release_kernel(*event);
		*event = NULL;
	}
}
