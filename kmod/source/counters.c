// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources that perf counts: a perf event on each CPU.
 *
 * Nothing here locks, because only the source's work item touches its events.  An operation on an
 * event of another CPU interrupts that CPU.  perf itself takes the event from a CPU that goes
 * offline.
 *
 * perf checks the credentials of the worker that runs this, not of the user who profiles, who may
 * not be allowed to count on all CPUs.
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/err.h>
#include <linux/slab.h>

static struct perf_event *profil_counters_create(struct profil_source *source, unsigned int cpu,
						 u64 period, bool disabled)
{
	struct perf_event_attr attr = source->attr;

	attr.sample_period = period;
	attr.disabled = disabled;
	return perf_event_create_kernel_counter(&attr, cpu, NULL, source->tick, source);
}

static void profil_counters_add_time(struct profil_source_time *time, struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	time->enabled += enabled;
	time->running += running;
}

static void profil_counters_stop(struct profil_source *source, unsigned int cpu)
{
	struct profil_source_cpu *here = per_cpu_ptr(source->cpu, cpu);

	if (!here->event)
		return;
	/* Do not read an event that is to be freed: reading interrupts the CPU. */
	if (!list_empty(&source->link))
		profil_counters_add_time(&source->past, here->event);
	perf_event_release_kernel(here->event);
	here->event = NULL;
}

/*
 * perf cannot properly change the period of an event that counts in code, not in hardware: its next
 * ticks would come at the old period, but stand for the new one.  The old event is released
 * only once the new one ticks, because perf patches code, and may wait, for the first event and
 * after the last one.
 */
static int profil_counters_replace(struct profil_source *source, unsigned int cpu, u64 period)
{
	struct profil_source_cpu *here = per_cpu_ptr(source->cpu, cpu);
	struct perf_event *event = profil_counters_create(source, cpu, period, true);

	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_disable(here->event);
	perf_event_enable(event);
	profil_counters_stop(source, cpu);
	here->event = event;
	return 0;
}

/* If a PMU refuses the new period, each tick still says which period it stands for. */
static int profil_counters_start(struct profil_source *source, unsigned int cpu, u64 period)
{
	struct profil_source_cpu *here = per_cpu_ptr(source->cpu, cpu);
	struct perf_event *event = here->event;

	if (!event) {
		here->due = 0;
		event = profil_counters_create(source, cpu, period, false);
		if (IS_ERR(event))
			return PTR_ERR(event);
		here->event = event;
	} else if (event->attr.sample_period != period) {
		if (!source->interrupts)
			return profil_counters_replace(source, cpu, period);
		/* perf detaches an event from an unregistered PMU. */
		if (READ_ONCE(event->pmu))
			perf_event_period(event, period);
	}
	return 0;
}

/**
 * profil_counters_read() - read the times of an event
 * @source: the event
 * @time: receives the sum over all CPUs
 *
 * Context: Process context, may sleep.
 */
void profil_counters_read(struct profil_source *source, struct profil_source_time *time)
{
	struct perf_event *event;
	unsigned int cpu;

	*time = source->past;
	for_each_possible_cpu(cpu) {
		event = per_cpu_ptr(source->cpu, cpu)->event;
		if (event)
			profil_counters_add_time(time, event);
	}
}

const struct profil_source_ops profil_counters_ops = {
	.start	= profil_counters_start,
	.stop	= profil_counters_stop,
};

/* Return: false for events that are counted by the code in which they happen. */
static bool profil_source_interrupts(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

/**
 * profil_source_alloc() - allocate the source of an event
 * @attr: the event, from profil_source_choose()
 * @privileged: for profiles made with CAP_PERFMON
 *
 * Context: Process context, may sleep.
 * Return: the source, not listed, to be freed by profil_source_free(); NULL without memory.
 */
struct profil_source *profil_source_alloc(const struct perf_event_attr *attr, bool privileged)
{
	struct profil_source *source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);

	if (!source)
		return NULL;
	source->cpu = alloc_percpu_gfp(struct profil_source_cpu, GFP_KERNEL_ACCOUNT);
	if (!source->cpu) {
		kfree(source);
		return NULL;
	}
	source->ops = &profil_counters_ops;
	source->attr = *attr;
	source->privileged = privileged;
	source->tick = profil_event_tick;
	source->interrupts = profil_source_interrupts(attr);
	source->least = 2;	/* as in profil_source_choose() */
	source->users = RB_ROOT_CACHED;
	return source;
}

/**
 * profil_source_free() - free the source of an event that is not counted on any CPU
 * @source: not listed; or NULL
 *
 * Context: Process context.
 */
void profil_source_free(struct profil_source *source)
{
	if (!source)
		return;
	free_percpu(source->cpu);
	kfree(source);
}
