/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Self profiles: ticks that wait for the page of their counter.
 *
 * Context: any
 */
#ifndef PROFIL_DEFERRAL_H
#define PROFIL_DEFERRAL_H

#include <linux/atomic.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct mm_struct;
struct profil_layout;
struct profil_profile;
struct task_struct;

/*
 * How many threads of a process can wait for a page at once; at most half of them in the
 * kernel, where a thread may stay for hours.
 */
#define PROFIL_DEFERRALS	16
#define PROFIL_DEFERRALS_KERNEL	8

/**
 * struct profil_place - where a tick is to be counted
 * @position: of the counter or element; see &struct profil_layout
 * @pc: an element's PC; 0 for a counter
 * @region: which region has the counter; nr_bins: the overflow counter or the samples
 * @width: bytes of the counter; 0: an element of the array of PCs
 * @user: the tick came in user mode, so its thread will look very soon
 */
struct profil_place {
	u64 position;
	u64 pc;
	u32 region;
	u32 width;
	bool user;
};

/**
 * struct profil_deferral - ticks of one thread that wait for one page
 * @work: counts them, on the thread's way to user mode
 * @profile: theirs, referenced
 * @task: the thread; NULL: free.  Set by its tick, cleared by @work with interrupts off
 * @mm: the address space it ran in: it may execute another program before @work runs
 * @place: of the first tick that is left; the others are at the same counter, or at
 *	the elements that follow in the same page
 * @count: ticks, changed by @task's ticks only
 * @turn: ascends with the profile's deferrals; task works run in another order
 */
struct profil_deferral {
	struct callback_head work;
	struct profil_profile *profile;
	struct task_struct *task;
	struct mm_struct *mm;
	struct profil_place place;
	u64 count;
	u64 turn;
};

/**
 * struct profil_demand - what a self profile has in addition
 * @lock: held while a thread uses the profile's pins for deferred ticks, in part outside of a
 *	section, and while the pins are unpublished
 * @layout: the profile's, referenced; it never changes
 * @no_room: until when not to try again to charge a page, in jiffies: there was no
 *	room for one
 * @turns: deferrals so far
 * @hole: the turn of the first one that found a hole, guarded by @lock
 * @deferral: ticks that wait for their page
 */
struct profil_demand {
	raw_spinlock_t lock;	/* see the kernel-doc above */
	struct profil_layout *layout;
	unsigned long no_room;
	atomic64_t turns;
	u64 hole;
	struct profil_deferral deferral[PROFIL_DEFERRALS];
};

#endif /* PROFIL_DEFERRAL_H */
