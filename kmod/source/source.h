/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources of ticks: the clock, and events of perf.
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
 * Sources, the claims of profiles on them, and requests to serve.c.
 */

/**
 * struct profil_source_ops - the operations of a source
 * @open: called before the first CPU ticks; may be NULL
 * @close: undoes @open when no CPU ticks any more
 * @start: tick on a CPU every @period; if it ticks there already, only change the period
 * @stop: stop ticking on a CPU; no effect if it does not tick there.  Waits for a running tick,
 *	unless everything that ticks use is freed a grace period later
 *
 * Called in process context, without a lock, by the source's work item only, except that @open may
 * be called when the module is loaded.
 */
struct profil_source_ops {
	int (*open)(void);
	void (*close)(void);
	int (*start)(struct profil_source *source, unsigned int cpu, u64 period);
	void (*stop)(struct profil_source *source, unsigned int cpu);
};

/**
 * struct profil_source_cpu - the state of a source on a CPU
 * @event: perf's event, or NULL; used by the work item only
 * @due: when the perf clock's previous tick was due, in ns of CLOCK_MONOTONIC; 0: there was none
 * @missed: ticks that were not offered to any profile
 * @throttled: number of times that perf has stopped the event until the CPU's next jiffy
 *
 * Once the source ticks on a CPU, only its ticks there write to the members, except @event.
 */
struct profil_source_cpu {
	struct perf_event *event;
	u64 due;
	u64 missed;
	u64 throttled;
};

/**
 * struct profil_source_time - the times of an event, on all CPUs together
 * @enabled: ns for which it was enabled
 * @running: ns for which it was counted; fewer if more events were enabled than there are counters
 */
struct profil_source_time {
	u64 enabled;
	u64 running;
};

/**
 * struct profil_source - the clock, or an event, for all profiles that sample it
 * @ops: how it ticks; constant
 * @attr: the event for perf to count, unless the clock is lazy; constant
 * @privileged: an event for profiles made with CAP_PERFMON.  Others must not shorten its period,
 *	because perf stops an event that ticks too often; constant
 * @tick: perf's overflow handler; constant
 * @interrupts: each tick is an interrupt of its own, as in &struct profil_claim; constant
 * @least: the period is not halved below this; constant
 * @cpu: its state on each CPU
 * @cpus: CPUs on which it ticks, or was to tick when it was last started.  The bit of a CPU that
 *	has come online is cleared, because perf may have taken the CPU's event
 * @past: times of events that were released; used by the work item only
 * @open: @ops->open has been called; likewise
 * @link: in profil_sources; this and all members after it are guarded by profil_sources_lock
 * @users: claims on it, the shortest period first
 * @idle: when the last claim was given up, in jiffies
 * @runs: it ticks
 * @turns: the work item is changing its period, or its CPUs
 * @err: the error that keeps it from ticking, or 0
 * @period: ns, or events, between two ticks
 * @changed: when @period was last changed, in jiffies
 * @read_wanted: @time must not be older than this, in ns of ktime_get_ns()
 * @read: @time is not older than this
 * @time: its times as last read
 * @free: frees it a grace period after its counters were released
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
	bool turns;
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
 * @type: type of the event, as in &struct perf_event_attr
 * @config: likewise
 * @period: events between two ticks, for all profiles that share its counters
 * @missed: as in &struct profil_source_cpu, summed over all CPUs
 * @throttled: likewise
 * @time: the times of the event
 */
struct profil_source_report {
	u32 type;
	u64 config;
	u64 period;
	u64 missed;
	u64 throttled;
	struct profil_source_time time;
};

/* Guards the variables below, and the state of each source that commands request or read. */
extern spinlock_t profil_sources_lock;
/* The events.  Only their work item removes one from the list. */
extern struct list_head profil_sources;
/* The number of events, including those that have left the list but have not been freed yet. */
extern unsigned int profil_nr_sources;
/* Woken after each turn of a work item, and when a source was freed. */
extern wait_queue_head_t profil_sources_wait;

/* clock.c */
extern struct profil_source profil_clock_source;
void profil_lazy_clock_stop(struct profil_source *clock, unsigned int cpu);
bool profil_lazy_clock_online(struct profil_source *clock, unsigned int cpu);

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
int profil_source_choose(struct perf_event_attr *attr, const struct perf_event *event, u64 period);
int profil_source_get(struct profil_claim *claim, const struct perf_event_attr *attr,
		      u64 period);
bool profil_source_is(struct profil_claim *claim, const struct perf_event_attr *attr);
int profil_source_account(struct profil_claim *claim, u64 since,
			  struct profil_source_report *report);

/**
 * profil_source_is_used() - check whether any profile claims a source
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
 * The tick of the lazy clock, and the code that arms it.
 */

/**
 * struct profil_lazy_clock - the clock of one CPU
 * @timer: fires at the point of @cell, if @armed
 * @period: length of a cell of the time grid, in ns; 0: stopped
 * @cell: start of the current cell, in ns of CLOCK_MONOTONIC
 * @left: number of cells for which @secret is still used, @cell included
 * @secret: pseudo-random number for this CPU and a group of cells
 * @interrupt: the kernel's number of timer interrupts on this CPU when the timer last ran
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
