/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources: the events that may tick, the claims of profiles on them, and requests to serve.c.
 *
 * Context: any
 */
#ifndef PROFIL_EVENT_H
#define PROFIL_EVENT_H

#include "base/claim.h"

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/**
 * struct profil_source_time - how long an event was counted, on all CPUs together
 * @enabled: ns that it was to be counted
 * @running: ns that it was counted: fewer if more events were wanted than there are counters
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

/**
 * struct profil_source_lost - what a CPU has lost of an event
 * @missed: ticks that were not offered to any profile
 * @throttled: how often perf has stopped its counter until the CPU's next jiffy
 */
struct profil_source_lost {
	u64 missed;
	u64 throttled;
};

/**
 * struct profil_source - an event, for all profiles that sample it
 * @counters: what counts it, on each CPU; all but its @attr and @stale is for the work item of
 *	serve.c alone
 * @interrupts: each tick is an interrupt of its own, as in &struct profil_claim; constant
 * @lost: for each CPU; written there only
 * @link: among all sources; this and all that follows is guarded by profil_sources_lock
 * @users: claims on it
 * @runs: it has been counted
 * @err: why it never will be, or 0
 * @period: events between two ticks
 * @changed: when that was changed last, in jiffies
 * @read_wanted: @time must not be older than this, in ns of ktime_get_ns()
 * @read: @time is not older than this
 * @time: how long it was counted
 * @free: ends it
 */
struct profil_source {
	struct profil_counters counters;
	bool interrupts;
	struct profil_source_lost __percpu *lost;
	struct list_head link;
	struct list_head users;
	bool runs;
	int err;
	u64 period;
	unsigned long changed;
	u64 read_wanted;
	u64 read;
	struct profil_source_time time;
	struct rcu_work free;
};

/**
 * struct profil_source_report - what became of an event
 * @type: what is counted, as in &struct perf_event_attr
 * @config: likewise
 * @period: events between two ticks, for all profiles that share its counters
 * @lost: the sum of all CPUs
 * @time: likewise
 */
struct profil_source_report {
	u32 type;
	u64 config;
	u64 period;
	struct profil_source_lost lost;
	struct profil_source_time time;
};

/**
 * struct profil_source_ops - what happens when an event comes
 * @tick: perf's overflow handler; its context is the source
 * @settle: waits until no CPU still has a tick of a released event to count.  Called in
 *	process context
 */
struct profil_source_ops {
	perf_overflow_handler_t tick;
	void (*settle)(void);
};

/* Guards all that follows, and what is wanted of each source. */
extern spinlock_t profil_sources_lock;
/* Only the work item takes a source out of the list. */
extern struct list_head profil_sources;
/* Those in the list, and those whose counters were released less than a grace period ago. */
extern unsigned int profil_nr_sources;
/* Woken when something that was wanted has been done, or a source was freed. */
extern wait_queue_head_t profil_sources_wait;

struct profil_source *profil_source_alloc(const struct perf_event_attr *attr);
void profil_source_free(struct profil_source *source);
void profil_sources_queue(void);
void profil_sources_review(void);
int profil_sources_init(const struct profil_source_ops *ops);
void profil_sources_exit(void);

/* source.c */
int profil_source_choose(struct perf_event_attr *attr, const struct perf_event *event);
int profil_source_get(struct profil_claim *claim, const struct perf_event_attr *attr,
		      u64 period);
bool profil_source_is(struct profil_claim *claim, const struct perf_event_attr *attr);
int profil_source_account(struct profil_claim *claim, u64 since,
			  struct profil_source_report *report);

#endif /* PROFIL_EVENT_H */
