// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recheck of a profile's memory, and its status.
 *
 * Context: process
 */
#include "profile/check.h"

#include "clock/clock.h"
#include "profile/deferral.h"
#include "profile/demand.h"
#include "profile/layout.h"
#include "profile/pages.h"
#include "profile/pins.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "tick/checkpoint.h"

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/task_work.h>

/*
 * Up to 8 MiB of counters are rechecked every 100 ms of CPU time, larger ones
 * less often, at the same cost per page.  The recheck is due at the first
 * checkpoint after 75 ms, and there is a checkpoint every 25 ms.
 */
#define CHECK_PAGES	2048UL
#define CHECK_INTERVAL	(HZ * 3 / 40)

/* A page that is not pinned costs a look at a word. */
static unsigned long profil_check_interval(const struct profil_pins *pins)
{
	unsigned long words = PAGE_SIZE / sizeof(*pins->page);
	unsigned long pages = pins->layout->pages;

	if (profil_layout_is_late(pins->layout))
		pages = pins->held + pages / words;
	return CHECK_INTERVAL * DIV_ROUND_UP(max(pages, 1UL), CHECK_PAGES);
}

/**
 * profil_profile_check() - check that the counters' memory is still mapped
 * @profile: its lock is held
 *
 * No effect outside of the address space that holds the counters.
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EINTR.
 */
int profil_profile_check(struct profil_profile *profile)
{
	struct profil_pins *pins = profil_profile_pins(profile);
	int err;

	lockdep_assert_held(&profile->lock);
	if (!pins || pins->mm != current->mm)
		return 0;
	if (profil_layout_is_late(pins->layout)) {
		profil_demand_check(pins);
		err = 0;
	} else {
		err = profil_pins_check(pins);
	}
	WRITE_ONCE(profile->next_check, jiffies + profil_check_interval(pins));
	if (err == -EFAULT && !(profile->flags & PROFIL_FAULT_REGION))
		profil_profile_stop(profile, PROFIL_STATE_FAULT);
	/* -ENOMEM: not known, try again next time. */
	return err == -EINTR ? err : 0;
}

/*
 * Runs in the profiled task on its way to user space, or in its exit, where it
 * has no mm any more.  On contention skip: the holder is about to do more than
 * this check.
 */
static void profil_check_work(struct callback_head *check)
{
	struct profil_profile *profile = container_of(check, struct profil_profile, check);

	if (current->mm && mutex_trylock(&profile->lock)) {
		/* -EINTR: the task is being killed and will not read its counters. */
		profil_profile_check(profile);
		mutex_unlock(&profile->lock);
	}
	clear_bit_unlock(0, &profile->checking);
	profil_profile_put(profile);
}

/**
 * profil_profile_check_later() - have the memory rechecked from time to time
 * @profile: not yet published, with pins
 *
 * Context: Process context.
 */
void profil_profile_check_later(struct profil_profile *profile)
{
	const struct profil_pins *pins = rcu_dereference_protected(profile->pins, true);

	init_task_work(&profile->check, profil_check_work);
	WRITE_ONCE(profile->next_check, jiffies + profil_check_interval(pins));
}

/*
 * Every CPU adds its own share between two ticks, so the causes add up to the
 * ticks even while the profile runs.  Deferred ticks are counted on any CPU.
 */
static void profil_status_sum(const struct profil_profile *profile, struct profil_sum *sum)
{
	struct profil_collection all = {
		.deferred = profile->demand ? &profile->demand->lock : NULL,
		.tally = profile->tally,
		.sum = sum,
	};

	memset(sum, 0, sizeof(*sum));
	raw_spin_lock_init(&all.lock);
	profil_clock_each_cpu(profil_tally_collect_here, profil_tally_collect, &all);
}

/**
 * profil_profile_status() - report the outcomes of a profile's ticks
 * @profile: a profile
 * @status: everything but size, flags and profile is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EINTR.
 */
int profil_profile_status(struct profil_profile *profile, struct profil_status *status)
{
	struct profil_pins *pins;
	struct profil_sum sum;
	int err;

	if (mutex_lock_killable(&profile->lock))
		return -EINTR;
	err = profil_profile_check(profile);
	profil_status_sum(profile, &sum);
	profil_sum_fill(&sum, status);
	pins = profil_profile_pins(profile);
	status->state = READ_ONCE(profile->state);
	status->period = profile->period;
	status->stored = profil_profile_stored(profile);
	status->pinned = pins ? (u64)pins->held << PAGE_SHIFT : 0;
	status->processes = READ_ONCE(profile->nr_bindings);
	status->forks_lost = atomic_read(&profile->forks_lost);
	mutex_unlock(&profile->lock);
	return err;
}
