/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source of ticks other than the clock: an event that perf can count, on every CPU.
 *
 * Context: any
 */
#ifndef PROFIL_SOURCE_H
#define PROFIL_SOURCE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct profil_source_lost - what a CPU has lost of an event
 * @missed: ticks that no profile was asked about
 * @throttled: times that perf has stopped its counter until the CPU's next jiffy
 */
struct profil_source_lost {
	u64 missed;
	u64 throttled;
};

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
 * struct profil_source - an event, for all profiles that sample it
 * @attr: what is counted; constant
 * @interrupts: a tick of it comes in an interrupt of its own, not in what had it; constant
 * @period: events between two ticks; guarded by the mutex of source.c
 * @event: of each CPU, or NULL; likewise
 * @stale: CPUs that went offline since they were given their event
 * @users: claims on it; guarded by the lock of source.c
 * @link: among all sources; likewise
 * @past: of events that were released; guarded by the mutex of source.c
 * @lost: for each CPU; written there only
 */
struct profil_source {
	struct perf_event_attr attr;
	bool interrupts;
	u64 period;
	struct perf_event * __percpu *event;
	struct cpumask stale;
	struct list_head users;
	struct list_head link;
	struct profil_source_time past;
	struct profil_source_lost __percpu *lost;
};

/**
 * struct profil_source_user - one profile's claim on a source
 * @link: among its users; empty when it has none
 * @source: constant from profil_source_get() on
 * @period: the longest period that serves it, in events
 */
struct profil_source_user {
	struct list_head link;
	struct profil_source *source;
	u64 period;
};

/**
 * struct profil_source_ops - what happens when an event comes
 * @tick: perf's overflow handler; its context is the source
 * @settle: waits until no CPU has a tick of a released event to count any more.  Called in
 *	process context
 */
struct profil_source_ops {
	perf_overflow_handler_t tick;
	void (*settle)(void);
};

int profil_source_choose(struct perf_event_attr *attr, const struct perf_event *event);
int profil_source_get(struct profil_source_user *user, const struct perf_event_attr *attr,
		      u64 period);
void profil_source_put(struct profil_source_user *user);
bool profil_source_is(struct profil_source_user *user, const struct perf_event_attr *attr);
bool profil_source_account(struct profil_source_user *user, struct perf_event_attr *attr,
			   struct profil_source_lost *lost, struct profil_source_time *time);
int profil_sources_init(const struct profil_source_ops *ops);
void profil_sources_exit(void);

#endif /* PROFIL_SOURCE_H */
