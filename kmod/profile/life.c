// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a profile begins and how it ends.
 *
 * Context: process
 */
#include "profile/life.h"

#include "clock/clock.h"
#include "profile/binding.h"
#include "profile/check.h"
#include "profile/demand.h"
#include "profile/pages.h"
#include "profile/pins.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "profile/work.h"
#include "tick/checkpoint.h"

#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#define SWEEP_AGAIN	HZ

static void profil_sweep_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_again, profil_sweep_work);

static int profil_life_start_clock(struct profil_profile *profile)
{
	int err;

	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return 0;
	err = profil_demand_init(profile);
	if (err)
		return err;
	profile->started = ktime_get_ns();
	profil_profile_check_later(profile);
	return profil_clock_get(&profile->clock, profile->period);
}

/* Let the sweep and PROFIL_STOP_ALL see it. */
static void profil_life_list(struct profil_profile *profile)
{
	lockdep_assert_held(&profile->lock);
	mutex_lock(&profil_profiles_lock);
	list_add_tail(&profile->link, &profil_profiles);
	mutex_unlock(&profil_profiles_lock);
}

/* Unpublished: ticks already in flight are the last. */
static u64 profil_life_release(struct profil_profile *profile, struct profil_pins *heir)
{
	struct profil_pins *pins = profil_profile_pins(profile);
	u64 stored;

	lockdep_assert_held(&profile->lock);
	WRITE_ONCE(profile->retired, true);
	profil_clock_sync();
	stored = profil_profile_stored(profile);
	atomic64_set(&profile->stored, stored);
	profil_demand_unpublish(profile);
	if (pins && heir)
		profil_pins_take_over(heir, pins);
	if (pins)
		profil_pins_release(pins);
	profil_clock_put(&profile->clock);
	return stored;
}

static u64 profil_life_retire(struct profil_profile *profile)
{
	/* Even if retired: a followed process that execs leaves a gap binding behind. */
	profil_bindings_remove(profile);
	return profile->retired ? 0 : profil_life_release(profile, NULL);
}

/**
 * profil_profile_begin() - start a profile's clock, list and publish the profile
 * @profile: created, known only to the caller; retired if this fails
 * @subclass: SINGLE_DEPTH_NESTING if the caller holds the lock of the profile that
 *	it replaces, else 0
 * @publish: lets ticks see it; called with @profile's lock held
 * @data: for @publish
 *
 * It is listed first, so that at every moment of a replacement PROFIL_STOP_ALL
 * finds the old profile or this one.  The lock keeps others from ending it, and
 * its pages from being rechecked, before it is published.
 *
 * Context: Process context, may sleep.
 * Return: 0, the clock's error, or what @publish returned.
 */
int profil_profile_begin(struct profil_profile *profile, unsigned int subclass,
			 int (*publish)(struct profil_profile *profile, void *data), void *data)
{
	int err = profil_life_start_clock(profile);

	mutex_lock_nested(&profile->lock, subclass);
	if (!err) {
		profil_life_list(profile);
		err = publish(profile, data);
	}
	if (err) {
		profil_life_retire(profile);
	} else {
		profil_clock_look();
		profil_sweep_soon();
	}
	mutex_unlock(&profile->lock);
	return err;
}

/**
 * profil_profile_retire() - end a profile
 * @profile: referenced by the caller; no effect if it is retired already
 *
 * Afterwards nothing is counted any more, and its memory is unpinned.
 *
 * Context: Process context, may sleep.
 * Return: PCs that it had stored; 0 if it was retired already.
 */
u64 profil_profile_retire(struct profil_profile *profile)
{
	u64 stored;

	mutex_lock(&profile->lock);
	stored = profil_life_retire(profile);
	mutex_unlock(&profile->lock);
	return stored;
}

/**
 * profil_profile_retire_killable() - as profil_profile_retire(), but killable
 * @profile: referenced by the caller
 * @stored: receives the PCs that it had stored
 *
 * Another thread may hold the lock while it waits for a userfault handler or a
 * file system to provide a page.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EINTR.
 */
int profil_profile_retire_killable(struct profil_profile *profile, u64 *stored)
{
	if (mutex_lock_killable(&profile->lock))
		return -EINTR;
	*stored = profil_life_retire(profile);
	mutex_unlock(&profile->lock);
	return 0;
}

/**
 * profil_profile_retire_shut() - end a profile if the program has shut its gate
 * @profile: referenced by the caller
 * @shut: receives whether it has ended
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EINTR.
 */
int profil_profile_retire_shut(struct profil_profile *profile, bool *shut)
{
	const struct profil_pins *pins;

	if (mutex_lock_killable(&profile->lock))
		return -EINTR;
	pins = profil_profile_pins(profile);
	*shut = pins && !profil_pins_open(pins);
	if (*shut)
		profil_life_retire(profile);
	mutex_unlock(&profile->lock);
	return 0;
}

/**
 * profil_profile_succeed() - end a profile whose binding the heir has replaced
 * @profile: its lock is held
 * @heir: published in its place; its lock is held too, and its pins may share
 *	pages with @profile's
 * @stored: receives the PCs that @profile had stored
 *
 * Context: Process context, may sleep.
 */
void profil_profile_succeed(struct profil_profile *profile, struct profil_profile *heir,
			    u64 *stored)
{
	*stored = profil_life_release(profile, profil_profile_pins(heir));
}

static void profil_settle_one(struct profil_profile *profile)
{
	struct profil_pins *pins;

	/* The holder of the lock is working on the profile: try again later. */
	if (!mutex_trylock(&profile->lock)) {
		WRITE_ONCE(profil_settle_wanted, true);
		return;
	}
	pins = profil_profile_pins(profile);
	if (pins && (!atomic_read(&pins->mm->mm_users) || !profil_pins_open(pins))) {
		profil_profile_stop(profile, PROFIL_STATE_STOPPED);
		profil_life_retire(profile);
	}
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		profil_clock_put(&profile->clock);
	mutex_unlock(&profile->lock);
}

/*
 * Give up the clock claims of profiles that have stopped by themselves; unless
 * @always, only if one has reported that.  Also end profiles whose gate is shut, and
 * those whose counters' address space has ended: an inherited descriptor, or a ring,
 * may outlive the attacher.  Return: true if it has to be done again.
 */
static bool profil_settle_all(bool always)
{
	struct profil_profile *profile;

	if (!xchg(&profil_settle_wanted, false) && !always)
		return false;
	mutex_lock(&profil_profiles_lock);
	list_for_each_entry(profile, &profil_profiles, link) {
		profil_settle_one(profile);
		cond_resched();
	}
	mutex_unlock(&profil_profiles_lock);
	return READ_ONCE(profil_settle_wanted);
}

static void profil_sweep_work(struct work_struct *work)
{
	bool again = work == &sweep_again.work;

	profil_bindings_sweep();
	again = profil_settle_all(again);
	/*
	 * No probe reports the end of every last user of an mm; and the mm of an
	 * attacher need not have a binding.
	 */
	if (again || atomic_read(&profil_totals.profiles))
		queue_delayed_work(profil_wq, &sweep_again, SWEEP_AGAIN);
}

static struct profil_profile *profil_life_next_unretired(void)
{
	struct profil_profile *profile;

	lockdep_assert_held(&profil_profiles_lock);
	list_for_each_entry(profile, &profil_profiles, link) {
		if (READ_ONCE(profile->retired) || !profil_profile_get(profile))
			continue;
		/* So that the next search need not walk past it. */
		list_move_tail(&profile->link, &profil_profiles);
		return profile;
	}
	return NULL;
}

/**
 * profil_profile_stop_all() - end every profile on the machine
 *
 * Context: Process context, may sleep; ends early on a fatal signal.
 */
void profil_profile_stop_all(void)
{
	struct profil_profile *profile;

	while (!fatal_signal_pending(current)) {
		mutex_lock(&profil_profiles_lock);
		profile = profil_life_next_unretired();
		mutex_unlock(&profil_profiles_lock);
		if (!profile)
			return;
		/* The holder may be waiting for a file system that never answers. */
		if (!mutex_lock_killable(&profile->lock)) {
			profil_profile_stop(profile, PROFIL_STATE_STOPPED);
			profil_life_retire(profile);
			mutex_unlock(&profile->lock);
		}
		profil_profile_put(profile);
	}
}

/**
 * profil_life_init() - initialise the sweep
 *
 * Context: Process context, before the first probe and the first profile.
 */
void profil_life_init(void)
{
	INIT_DELAYED_WORK(&profil_sweep, profil_sweep_work);
}

/**
 * profil_life_exit() - wait for work that ticks have queued; end the sweeps
 *
 * Context: Process context; no profile is left, and none of follow.c's probes.  The
 * clock may still tick, but hits nothing.
 */
void profil_life_exit(void)
{
	irq_work_sync(&profil_settle_irq);
	cancel_delayed_work_sync(&profil_sweep);
	cancel_delayed_work_sync(&sweep_again);
}
