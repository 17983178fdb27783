/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A counter for each outcome of a tick.
 *
 * Context: any
 */
#ifndef PROFIL_STATS_H
#define PROFIL_STATS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct profil_profile;
struct profil_status;

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
 * @cause: their outcomes
 */
struct profil_sum {
	u64 ticks;
	u64 cause[PROFIL_NR_CAUSES];
};

/**
 * struct profil_tally - one CPU's share of a profile's ticks
 * @countdown: ticks until the next checkpoint, never 0 between two ticks
 * @granted: sum of all countdowns so far, and of ticks counted without one; minus
 *	@countdown it is the number of ticks that hit the profile, counted
 *	independently of @cause
 * @cause: their outcomes
 * @region: the region in which this CPU counted last, if there are any
 * @credit: ns of the clock, or events, that the profile has not yet sampled
 * @late_credit: the same for ticks that never came
 * @fork_lost: start time of the child that was counted last here as lost: one child may
 *	be lost in two ways
 *
 * Written on its CPU in sections (base/section.h), so that readers can tell whether
 * they have read whole ticks.
 */
struct profil_tally {
	u64 countdown ____cacheline_aligned;
	u64 granted;
	u64 cause[PROFIL_NR_CAUSES];
	u32 region;
	u64 credit;
	u64 late_credit;
	u64 fork_lost;
};

/**
 * struct profil_totals - counts for the whole module
 * @ended: ticks and causes of profiles that have ended
 * @profiles: profiles that exist
 * @forks_lost: children that could not be followed, or whose counters could not
 *	be pinned
 * @pool_empty: how often a pool had no node; that does not lose a child each time
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

void profil_tally_sum(struct profil_tally __percpu *tally, struct profil_sum *sum);
void profil_sum_add(struct profil_sum *sum, const struct profil_sum *more);
void profil_sum_fill(const struct profil_sum *sum, struct profil_status *status);

#endif /* PROFIL_STATS_H */
