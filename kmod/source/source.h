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
struct profil_source;
struct pt_regs;
struct task_struct;

/*
 * Sources: what may tick, the claims of profiles on it, and requests to serve.c.
 */

/**
 * struct profil_source_ops - how a source ticks
 * @open: called before the first CPU ticks; may be NULL
 * @close: undoes @open when no CPU ticks any more
 * @start: tick on a CPU every @period; if it ticks there already, only change the period
 * @stop: no longer tick on a CPU; no effect if it does not.  Waits for the tick that runs, or
 *	what a tick reaches is freed a grace period later
 *
 * All are called by the source's work item only, in process context, without a lock.
 */
struct profil_source_ops {
	int (*open)(void);
	void (*close)(void);
	int (*start)(struct profil_source *source, unsigned int cpu, u64 period);
	void (*stop)(struct profil_source *source, unsigned int cpu);
};

/**
 * struct profil_source_cpu - what a source has on a CPU
 * @event: perf's event, or NULL; for the work item alone
 * @due: when the perf clock's previous tick was due, in ns of CLOCK_MONOTONIC; 0: there was none
 * @missed: ticks that were not offered to any profile
 * @throttled: how often perf has stopped the event until the CPU's next jiffy
 *
 * All but @event is written by ticks of that CPU, once it ticks.
 */
struct profil_source_cpu {
	struct perf_event *event;
	u64 due;
	u64 missed;
	u64 throttled;
};

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
 * struct profil_source - the clock, or an event, for all profiles that sample it
 * @ops: how it ticks; constant
 * @attr: what perf counts, unless the clock is lazy; constant
 * @privileged: of the profiles made with CAP_PERFMON, whose period others must not shorten: perf
 *	stops an event that ticks too often; constant
 * @tick: what perf calls; constant
 * @interrupts: each tick is an interrupt of its own, as in &struct profil_claim; constant
 * @least: its period is not halved below this; constant
 * @cpu: for each CPU
 * @cpus: where it ticks, or was to tick when it last ran.  The bit of a CPU that has come online
 *	is cleared: perf may have taken its event
 * @past: of events that were released; for the work item alone
 * @open: @ops->open has been called; likewise
 * @link: among all events; this and all that follows is guarded by profil_sources_lock
 * @users: claims on it, the shortest period first
 * @idle: when the last of them went, in jiffies
 * @runs: it ticks
 * @err: why it never will, or 0
 * @period: ns or events between two ticks
 * @changed: when that was changed last, in jiffies
 * @read_wanted: @time must not be older than this, in ns of ktime_get_ns()
 * @read: @time is not older than this
 * @time: how long it was counted
 * @free: ends it
 */
struct profil_source {
	const struct profil_source_ops *ops;
	struct perf_event_attr attr;
	bool privileged;
	perf_overflow_handler_t tick;
	bool interrupts;
	u64 least;
	struct profil_source_cpu __percpu *cpu;
	struct cpumask cpus;
	struct profil_source_time past;
	bool open;
	struct list_head link;
	struct rb_root_cached users;
	unsigned long idle;
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
 * struct profil_source_report - an event's counts and times
 * @type: what is counted, as in &struct perf_event_attr
 * @config: likewise
 * @period: events between two ticks, for all profiles that share its counters
 * @missed: as in &struct profil_source_cpu, summed over all CPUs
 * @throttled: likewise
 * @time: how long it was counted
 */
struct profil_source_report {
	u32 type;
	u64 config;
	u64 period;
	u64 missed;
	u64 throttled;
	struct profil_source_time time;
};

/* Guards all that follows, and what is wanted of each source. */
extern spinlock_t profil_sources_lock;
/* The events.  Only their work item takes one out of the list. */
extern struct list_head profil_sources;
/* Those in the list, and those whose counters were released less than a grace period ago. */
extern unsigned int profil_nr_sources;
/* Woken when something that was wanted has been done, or a source was freed. */
extern wait_queue_head_t profil_sources_wait;

/* clock.c */
extern struct profil_source profil_clock_source;
void profil_lazy_clock_stop(struct profil_source *clock, unsigned int cpu);
void profil_lazy_clock_online(struct profil_source *clock, unsigned int cpu);

/* counters.c */
extern const struct profil_source_ops profil_counters_ops;
struct profil_source *profil_source_alloc(const struct perf_event_attr *attr, bool privileged);
void profil_source_free(struct profil_source *source);
void profil_counters_read(struct profil_source *source, struct profil_source_time *time);

/* serve.c */
void profil_source_queue(const struct profil_source *source);
void profil_sources_review(void);
int profil_sources_init(void);
void profil_sources_exit(void);

/* source.c */
int profil_source_choose(struct perf_event_attr *attr, const struct perf_event *event);
int profil_source_get(struct profil_claim *claim, const struct perf_event_attr *attr,
		      u64 period);
bool profil_source_is(struct profil_claim *claim, const struct perf_event_attr *attr);
int profil_source_account(struct profil_claim *claim, u64 since,
			  struct profil_source_report *report);

/**
 * profil_source_is_used() - does any profile claim a source?
 * @source: the source
 *
 * Context: Process context; profil_sources_lock is held.
 * Return: true if so.
 */
static inline bool profil_source_is_used(const struct profil_source *source)
{
	lockdep_assert_held(&profil_sources_lock);
	return !RB_EMPTY_ROOT(&source->users.rb_root);
}

/*
 * The clock: one for all profiles, ticking on every CPU.
 */

int profil_clock_init(void);
void profil_clock_exit(void);
u64 profil_clock_period(void);
void profil_clock_look_here(void);
void profil_clock_look_all(void);
void profil_clock_look(struct mm_struct *mm);

/*
 * The ticks that perf delivers: of an event, and of the perf clock.
 */

DECLARE_PER_CPU(struct profil_source_cpu, profil_perf_cpu);

void profil_event_tick(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);
void profil_event_notes_count(struct irq_work *work);
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
