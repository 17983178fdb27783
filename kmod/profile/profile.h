/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile: its pins, policy and states, and the references to it.
 *
 * Context: any
 */
#ifndef PROFIL_PROFILE_H
#define PROFIL_PROFILE_H

#include "base/claim.h"
#include "base/pool.h"
#include "base/work.h"
#include "profile/stats.h"

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

struct profil_demand;
struct profil_follower;
struct profil_layout;
struct profil_pins;
struct profil_recording;
struct profil_session;
struct profil_user;

/**
 * struct profil_profile - one profile
 * @pins: where the tick counts; NULL after the end.  Changed under @lock, freed
 *	after profil_sections_settle().
 * @tally: a share for each CPU
 * @period: ns between samples, or events
 * @started: when it was published, in ns of CLOCK_MONOTONIC
 * @checkpoint: ticks of a CPU between two checkpoints
 * @next_check: when the memory is to be rechecked, in jiffies
 * @state: &enum profil_state.  It changes once, from RUNNING, by what comes first: a tick,
 *	a check, a command that stops it or the sweep.  But FULL becomes FAULT if a deferred
 *	tick finds that a page of the array is not there.
 * @flags: &enum profil_flag
 * @demand: of a self profile that runs, or has run; else NULL
 * @recording: if it counts by file; else NULL
 * @everybody: its bit among the system-wide recordings; else 0
 * @claim: on what ticks for it
 * @stored: attempts to store a PC; those beyond the size of the array failed
 * @refs: bindings, watches, births, the session's table, queued checks, callers
 * @memory: held by tasks of the counters' owner that wait for user memory: to check
 *	pins, or to make the ones that replace them.  No other task ever takes it.
 * @lock: guards @pins, @claim and @retired; held for short times only, never while
 *	waiting for memory or mmap_lock
 * @retired: it is over.  Set once, under @lock, before its bindings and watches are removed;
 *	it is read under the lock of their list before one is added, and then none is
 * @rate: Hz charged to @user; 0 once it has ended
 * @privileged: made with CAP_PERFMON: not counted in per-process limits or rate
 *	budgets
 * @user: the account that is charged, referenced
 * @session: the open file that owns it; NULL for a self profile.  Compared,
 *	never dereferenced: it may be gone.
 * @follower: the part of @session that follows; it exists until @retired is set.  Used under
 *	the lock of a bucket in which a binding or watch of the profile was found, and under
 *	@lock before @retired is set
 * @id: number in the session
 * @bindings_lock: guards @bindings and @nr_bindings
 * @bindings: its bindings
 * @nr_bindings: how many
 * @watches: the processes that it follows; guarded by @follower's lock
 * @joined: how many those were so far; likewise
 * @followed: how many of them have not ended; likewise
 * @forks_lost: children that could not be followed
 * @births: memory for what forked children inherit of a self profile
 * @refilling: bit 0: @refill is queued
 * @refill: fills @births, in the task that has forked, at its expense
 * @checking: bit 0: @check is queued
 * @check: rechecks the memory, in the profiled task
 * @link: in the list of all published profiles; guarded by profil_profiles_lock
 * @passed: the last PROFIL_STOP_ALL that has looked at it, likewise
 * @free: frees it a grace period after the last reference
 *
 * Holds a reference to the module, dropped from the module's workqueue.
 */
struct profil_profile {
	struct profil_pins __rcu *pins;
	struct profil_tally __percpu *tally;
	u64 period;
	u64 started;
	u64 checkpoint;
	unsigned long next_check;
	u32 state;
	u32 flags;
	struct profil_demand *demand;
	struct profil_recording *recording;
	u32 everybody;
	struct profil_claim claim;

	atomic64_t stored ____cacheline_aligned_in_smp;

	struct kref refs;
	struct mutex memory;	/* see the kernel-doc above */
	struct mutex lock;	/* likewise */
	bool retired;
	u64 rate;
	bool privileged;
	struct profil_user *user;
	const struct profil_session *session;
	struct profil_follower *follower;
	u32 id;
	raw_spinlock_t bindings_lock;	/* see the kernel-doc above */
	struct list_head bindings;
	unsigned int nr_bindings;
	struct list_head watches;
	u32 joined;
	u32 followed;
	atomic_t forks_lost;
	struct profil_pool births;
	unsigned long refilling;
	struct callback_head refill;
	unsigned long checking;
	struct callback_head check;
	struct list_head link;
	u64 passed;
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

static inline void profil_profile_last_put(struct kref *refs)
{
	queue_rcu_work(profil_wq, &container_of(refs, struct profil_profile, refs)->free);
}

/**
 * profil_profile_put() - drop a reference
 * @profile: freed with the last reference, in process context after a grace period
 *
 * Context: Any, hard interrupt included.
 */
static inline void profil_profile_put(struct profil_profile *profile)
{
	kref_put(&profile->refs, profil_profile_last_put);
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
