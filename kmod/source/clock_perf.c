// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf clock: a cpu-clock event on each CPU, which is an hrtimer that passes
 * on the interrupted registers.
 *
 * exclude_idle, because idle ticks would count towards perf's throttle.  The
 * handler never disables its event: Linux 6.16 and 6.17 deadlock there.
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/err.h>

/* Changed under the clock's lock. */
static DEFINE_PER_CPU(struct perf_event *, perf_events);

static int profil_perf_clock_start(unsigned int cpu, u64 period)
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
	struct perf_event *event;

	per_cpu(profil_perf_last, cpu) = 0;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, profil_perf_tick, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu(perf_events, cpu) = event;
	return 0;
}

static int profil_perf_clock_set_period(unsigned int cpu, u64 period)
{
	return perf_event_period(per_cpu(perf_events, cpu), period);
}

static void profil_perf_clock_stop(unsigned int cpu)
{
	perf_event_release_kernel(per_cpu(perf_events, cpu));
	per_cpu(perf_events, cpu) = NULL;
}

const struct profil_clock_ops profil_clock_perf = {
	.start		= profil_perf_clock_start,
	.set_period	= profil_perf_clock_set_period,
	.stop		= profil_perf_clock_stop,
};
