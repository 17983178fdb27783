/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile: its pins, policy and states, and the references to it.
 *
 * Context: any
 */
#ifndef PROFIL_PROFILE_H
#define PROFIL_PROFILE_H

#include "base/base.h"

#include <linux/cache.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/task_work.h>

struct mm_struct;
struct profil_layout;
struct profil_pins;
struct profil_profile;
struct profil_recording;
struct profil_session;
struct profil_status;
struct profil_tally;
struct profil_user;
struct task_struct;

/*
 * A counter for each outcome of a tick.
 */

enum profil_cause {
	PROFIL_COUNTED,
	PROFIL_OUTSIDE,
	PROFIL_SATURATED,
	PROFIL_KERNEL,
	PROFIL_NO_USER_PC,
	PROFIL_OFF,
	PROFIL_LATE,
	PROFIL_CONTENDED,
	PROFIL_FULL,
	PROFIL_NR_CAUSES,
	PROFIL_DEFERRED = PROFIL_NR_CAUSES	/* has no outcome yet */
};

/**
 * struct profil_sum - ticks of all CPUs
 * @ticks: ticks that hit the profile, counted independently of @cause
 * @cause: ticks by outcome, &enum profil_cause
 */
struct profil_sum {
	u64 ticks;
	u64 cause[PROFIL_NR_CAUSES];
};

/**
 * struct profil_tally - one CPU's share of a profile's ticks
 * @countdown: ticks until the next checkpoint, never 0 between two ticks
 * @granted: all countdowns so far, plus ticks counted without a countdown.
 *	@granted - @countdown is the number of ticks that hit the profile, counted
 *	independently of @cause
 * @cause: ticks by outcome, &enum profil_cause
 * @region: index of the region in which this CPU counted last; there may be no regions
 * @credit: ns of the clock, or events, that the profile has not yet sampled
 * @late_credit: the same for ticks that never came
 *
 * Each CPU writes its own tally, in sections (base/base.h), so a reader can tell
 * whether it has read whole ticks.
 */
struct profil_tally {
	u64 countdown ____cacheline_aligned;
	u64 granted;
	u64 cause[PROFIL_NR_CAUSES];
	u32 region;
	u64 credit;
	u64 late_credit;
};

/**
 * struct profil_totals - counts for the whole module
 * @ended: ticks and causes of profiles that have ended
 * @profiles: profiles that exist
 * @forks_lost: children and programs that could not be followed, or whose
 *	profile could not be created
 * @pool_empty: number of times that a pool was empty, which does not always lose a child
 *
 * @ended is guarded by profil_profiles_lock.
 */
struct profil_totals {
	struct profil_sum ended;
	atomic_t profiles;
	atomic64_t forks_lost;
	atomic64_t pool_empty;
};

extern struct profil_totals profil_totals;

void profil_tally_sum(const struct profil_tally *tally, struct profil_sum *sum);
void profil_sum_add(struct profil_sum *sum, const struct profil_sum *more);
void profil_sum_fill(const struct profil_sum *sum, struct profil_status *status);

/*
 * Work that the tick hands over to process context: stop, recheck, sweep.
 */

/* A profile has stopped by itself and still has its claim. */
extern bool profil_settle_wanted;
extern struct irq_work profil_settle_irq;
/* life.c sets its function. */
extern struct delayed_work profil_sweep;

void profil_profile_stop(struct profil_profile *profile, u32 why);
void profil_profile_checkpoint(struct profil_profile *profile, struct profil_tally *tally,
			       bool user);
void profil_sweep_soon(void);

/*
 * Self profiles: ticks that wait for the page of their counter.
 */

/*
 * Deferrals of a self profile.  Ticks in kernel mode may use only half of them, because
 * their threads may stay in the kernel for hours.
 */
#define PROFIL_DEFERRALS	16
#define PROFIL_DEFERRALS_KERNEL	8

/**
 * struct profil_place - the place where a tick is to be counted
 * @position: position of the counter, as in &struct profil_layout.  0 for the array of PCs, where
 *	a PC gets its element only when it is stored
 * @pc: the PC to store in the array of PCs; 0 for a counter
 * @region: index of the counter's region; nr_bins for the overflow counter and the array
 * @width: size of the counter, in bytes; 0: the array of PCs
 * @user: the tick came in user mode, so its thread counts it very soon
 */
struct profil_place {
	u64 position;
	u64 pc;
	u32 region;
	u32 width;
	bool user;
};

/**
 * struct profil_deferral - ticks of one thread at one place that wait for its page
 * @work: counts the ticks on the thread's way to user mode
 * @profile: the profile that the ticks count for, referenced
 * @task: the thread; NULL: free.  Set by its tick, cleared by @work with interrupts off
 * @place: the place where each of the ticks is to be counted
 * @count: number of ticks, changed by @task and its ticks only
 * @turn: sequence number among the profile's deferrals; task works run in a different order
 * @index: index of the page that @work has pinned
 * @page: kernel address of that page; NULL if there is no page
 */
struct profil_deferral {
	struct callback_head work;
	struct profil_profile *profile;
	struct task_struct *task;
	struct profil_place place;
	u64 count;
	u64 turn;
	unsigned long index;
	void *page;
};

/**
 * struct profil_profile - one profile
 * @pins: the pinned pages in which ticks count; NULL after the end.  Changed under
 *	@lock, freed after profil_sections_settle().
 * @tally: the share of each CPU.  An array, because alloc_percpu() takes a fifth of the time of
 *	starting and stopping a self profile
 * @period: ns, or events, between two samples
 * @started: when it was prepared, just before it was published, in ns of CLOCK_MONOTONIC
 * @checkpoint: ticks of a CPU between two checkpoints
 * @next_check: when the memory is to be rechecked, in jiffies
 * @state: &enum profil_state.  It changes once, from RUNNING.  A tick, a check, a command
 *	that stops the profile, or the sweep changes it, whichever comes first
 * @flags: &enum profil_flag
 * @deferral: PROFIL_DEFERRALS elements in a self profile that runs, or has run; else NULL
 * @recording: the recording if the profile counts by file; else NULL
 * @everybody: the bit of a system-wide recording; 0 in any other profile
 * @claim: its claim on the clock, or on an event
 * @stored: number of PCs in the array, incremented just before a PC is written there
 * @refs: held by bindings, watches, births, deferrals, questions, the session's table, queued
 *	checks and refills, and callers
 * @lock: guards @pins, @claim and @retired; held for short times only, never while
 *	waiting for memory or mmap_lock
 * @retired: the profile is over.  Set once, under @lock, before its bindings are removed.
 *	profil_binding_insert() reads it under @bindings_lock, and adds no binding if it is set.
 *	@ended of a recording does the same for watches
 * @rate: Hz charged to @user; 0 once the profile has ended
 * @privileged: made with CAP_PERFMON: exempt from PROFIL_BINDINGS_MAX and rate
 *	budgets
 * @user: the account that is charged, referenced
 * @session: the open file that owns it; NULL for a self profile.  Compared,
 *	never dereferenced: it may be gone.
 * @id: its number in the session
 * @bindings_lock: guards @bindings and @nr_bindings
 * @bindings: its bindings
 * @nr_bindings: number of @bindings
 * @joined: number of processes followed so far; guarded by @recording's lock
 * @followed: number of processes followed now; likewise
 * @forks_lost: children and programs that could not be followed
 * @turns: number of deferrals so far
 * @hole: lowest turn of a deferral whose page could not be written; set before @state becomes
 *	FAULT
 * @no_room: time in jiffies before which a deferral does not try to charge a page, because
 *	there was no room
 * @births: memory for the births of forked children
 * @refilling: bit 0: @refill is queued
 * @refill: fills @births, in the task that has forked, at its expense
 * @checking: bit 0: @check is queued
 * @check: rechecks the memory, in the profiled task
 * @link: in the list of all published profiles; guarded by profil_profiles_lock
 * @free: frees it a grace period after the last reference
 *
 * Holds a reference to the module, dropped from the module's workqueue.
 */
struct profil_profile {
	struct profil_pins __rcu *pins;
	struct profil_tally *tally;
	u64 period;
	u64 started;
	u64 checkpoint;
	unsigned long next_check;
	u32 state;
	u32 flags;
	struct profil_deferral *deferral;
	struct profil_recording *recording;
	u32 everybody;
	struct profil_claim claim;

	atomic64_t stored ____cacheline_aligned_in_smp;

	struct kref refs;
	struct mutex lock;	/* see the kernel-doc above */
	bool retired;
	u64 rate;
	bool privileged;
	struct profil_user *user;
	const struct profil_session *session;
	u32 id;
	raw_spinlock_t bindings_lock;	/* see the kernel-doc above */
	struct list_head bindings;
	unsigned int nr_bindings;
	u32 joined;
	u32 followed;
	atomic_t forks_lost;
	atomic64_t turns;
	u64 hole;
	unsigned long no_room;
	struct profil_pool births;
	unsigned long refilling;
	struct callback_head refill;
	unsigned long checking;
	struct callback_head check;
	struct list_head link;
	struct rcu_work free;
};

extern struct mutex profil_profiles_lock;
extern struct list_head profil_profiles;

struct profil_profile *profil_profile_create(struct profil_layout *layout,
					     const struct profil_session *session);
struct profil_profile *profil_profile_create_child(struct profil_layout *layout,
						   struct profil_profile *parent, u32 state,
						   u64 stored);
struct profil_pins *profil_profile_get_pins(struct profil_profile *profile);

/**
 * profil_profile_get() - take a reference
 * @profile: kept by another reference, or found under RCU
 *
 * Context: Any.
 * Return: false if its last reference is gone.
 */
static inline bool profil_profile_get(struct profil_profile *profile)
{
	return kref_get_unless_zero(&profile->refs);
}

void profil_profile_put(struct profil_profile *profile);

/**
 * profil_profile_add_work() - queue a work for current's way to user mode
 * @profile: kept by another reference, or found under RCU
 * @work: the work, which gets a reference to @profile and has to drop it
 *
 * Context: Any, hard interrupt included.
 * Return: false if current is too late in its exit, or the last reference is gone.
 */
static inline bool profil_profile_add_work(struct profil_profile *profile,
					   struct callback_head *work)
{
	if (!profil_profile_get(profile))
		return false;
	if (!task_work_add(current, work, TWA_RESUME))
		return true;
	profil_profile_put(profile);
	return false;
}

/**
 * profil_work_last() - postpone a work of current until its earlier works have run
 * @work: a work of profil_profile_add_work(), which is running
 * @func: runs then; it may wait for memory that never arrives
 *
 * Works run in reverse order.  So without this, ticks whose work was queued earlier would
 * wait for that memory, too.
 *
 * Context: Process context, in @work.
 */
static inline void profil_work_last(struct callback_head *work, task_work_func_t func)
{
	init_task_work(work, func);
	if (task_work_add(current, work, TWA_RESUME))
		func(work);
}

/**
 * profil_tally_here() - this CPU's share of a profile's ticks
 * @profile: a profile
 *
 * Context: Any; interrupts are off.
 * Return: the share.
 */
static __always_inline struct profil_tally *profil_tally_here(const struct profil_profile *profile)
{
	return &profile->tally[smp_processor_id()];
}

/**
 * profil_profile_pins() - get the pins, under the lock
 * @profile: its lock is held
 *
 * Context: Any context that holds @profile's lock.
 * Return: the pins, or NULL if the profile has ended.
 */
static inline struct profil_pins *profil_profile_pins(struct profil_profile *profile)
{
	return rcu_dereference_protected(profile->pins, lockdep_is_held(&profile->lock));
}

#endif /* PROFIL_PROFILE_H */
