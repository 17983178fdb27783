/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of one event: a perf event on each CPU.
 *
 * Context: any
 */
#ifndef PROFIL_COUNTERS_H
#define PROFIL_COUNTERS_H

#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct profil_source_time - how long an event was counted, on all CPUs together
 * @enabled: ns that it was to be counted
 * @running: ns that it was: less, if more events were wanted than there are counters
 */
struct profil_source_time {
	u64 enabled;
	u64 running;
};

/**
 * struct profil_counters - the counters of an event
 * @attr: what is counted; constant
 * @tick: what perf calls; constant
 * @context: for @tick; constant
 * @event: of each CPU, or NULL
 * @counted: CPUs on which it was to be counted when it last ran
 * @stale: CPUs whose event perf may have taken; changed atomically, also by others
 * @past: of events that were released
 */
struct profil_counters {
	struct perf_event_attr attr;
	perf_overflow_handler_t tick;
	void *context;
	struct perf_event * __percpu *event;
	struct cpumask counted;
	struct cpumask stale;
	struct profil_source_time past;
};

int profil_counters_init(struct profil_counters *counters, const struct perf_event_attr *attr,
			 perf_overflow_handler_t tick, void *context);
void profil_counters_free(struct profil_counters *counters);
bool profil_counters_are_stale(const struct profil_counters *counters,
			       const struct cpumask *cpus);
int profil_counters_run(struct profil_counters *counters, u64 period, const struct cpumask *cpus);
void profil_counters_set_period(struct profil_counters *counters, u64 period);
void profil_counters_read(struct profil_counters *counters, struct profil_source_time *time);
void profil_counters_release(struct profil_counters *counters);

#endif /* PROFIL_COUNTERS_H */
