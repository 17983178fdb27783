/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ticks: the clock, and events of perf.
 *
 * Context: any
 */
#ifndef PROFIL_SOURCE_H
#define PROFIL_SOURCE_H

#include "base/base.h"

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct mm_struct;
struct perf_event;
struct perf_sample_data;
struct profil_claim;
struct pt_regs;
struct task_struct;

/*
 * The clock: one for all profiles, ticking on every CPU.
 */

/* For inter-processor calls: see @look below. */
typedef void (*profil_clock_look_t)(void *unused);

/**
 * struct profil_clock_ops - a kind of clock
 * @init: once, when the module is loaded; may be NULL
 * @open: called before the first CPU ticks; may be NULL
 * @close: undoes @open when no CPU ticks any more
 * @start: start to tick on an online CPU, every @period ns
 * @set_period: change the period of a CPU that ticks
 * @stop: stop ticking; waits for the tick that runs
 * @look: check whether the task that runs here is profiled by now.  Called on a
 *	CPU that ticks, with interrupts off; NULL if the clock ticks regardless
 *
 * @start, @set_period and @stop run in process context, under cpus_read_lock() or
 * in the CPU's hotplug callback, and under the clock's lock; @open and @close run
 * in process context, under neither.  A tick is counted by the functions of
 * tick/sample.h, in a section.
 */
struct profil_clock_ops {
	int (*init)(void);
	int (*open)(void);
	void (*close)(void);
	int (*start)(unsigned int cpu, u64 period);
	int (*set_period)(unsigned int cpu, u64 period);
	void (*stop)(unsigned int cpu);
	void (*look)(void *unused);
};

int profil_clock_init(const struct profil_clock_ops *ops);
void profil_clock_exit(void);
int profil_clock_get(struct profil_claim *claim, u64 period);
u64 profil_clock_period(void);
void profil_clock_review(void);
void profil_clock_look_here(void);
void profil_clock_look_all(void);
void profil_clock_look(struct mm_struct *mm);

/* clocks.c */
int profil_clocks_init(void);

/* clock_lazy.c */
extern const struct profil_clock_ops profil_clock_lazy;

/* clock_perf.c */
extern const struct profil_clock_ops profil_clock_perf;

/*
 * Sources: the events that may tick, the claims of profiles on them, and requests to serve.c.
 */

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

/*
 * The tick of an event.
 */

void profil_event_tick(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);
void profil_event_tick_init(void);

/*
 * The tick of the perf clock.
 */

/*
 * When a CPU's previous tick was due, in ns of CLOCK_MONOTONIC; 0: there was
 * none.  Once the CPU ticks, only the tick uses it.
 */
DECLARE_PER_CPU(u64, profil_perf_last);

void profil_perf_tick(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);

/*
 * The tick of the lazy clock, and what arms it.
 */

/**
 * struct profil_lazy_clock - the clock of one CPU
 * @timer: fires at the point of @cell, if @armed
 * @period: length of a cell, in ns; 0: stopped
 * @cell: where the current cell begins, in ns of CLOCK_MONOTONIC
 * @left: cells for which @secret is still used, @cell included
 * @secret: pseudo-random, of this CPU and a group of cells
 * @interrupt: the interrupt in which the timer last ran, as the kernel counts them on this CPU
 * @armed: the timer is queued
 */
struct profil_lazy_clock {
	struct hrtimer timer;
	u64 period;
	u64 cell;
	u64 left;
	u64 secret;
	unsigned int interrupt;
	bool armed;
};

DECLARE_PER_CPU_ALIGNED(struct profil_lazy_clock, profil_lazy_clocks);

/* Random, so that no program can predict points. */
extern siphash_key_t profil_lazy_key;

enum hrtimer_restart profil_lazy_tick(struct hrtimer *timer);
void profil_lazy_switch(void *unused, bool preempt, struct task_struct *prev,
			struct task_struct *next, unsigned int prev_state);
void profil_lazy_look(void *unused);
void profil_lazy_begin(void *period);

#endif /* PROFIL_SOURCE_H */
