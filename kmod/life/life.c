// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a profile begins and how it ends.
 *
 * Context: process
 */
#include "life/life.h"

#include "base/limits.h"
#include "memory/pins.h"
#include "profile/recording.h"
#include "source/source.h"

#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#define SWEEP_AGAIN	HZ

static void profil_sweep_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_again, profil_sweep_work);

/**
 * profil_profile_prepare() - start the event or the clock of a profile
 * @profile: created, known only to the caller, who ends it if this fails
 * @attr: the event, of profil_source_choose(); NULL: the clock
 *
 * Context: Process context, may sleep; no lock is held.
 * Return: 0, an error of profil_source_get(), or the clock's.
 */
int profil_profile_prepare(struct profil_profile *profile, const struct perf_event_attr *attr)
{
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return 0;
	profile->started = ktime_get_ns();
	profil_profile_check_later(profile);
	if (attr)
		return profil_source_get(&profile->claim, attr, profile->period);
	return profil_clock_get(&profile->claim, profile->period);
}

/* Let the sweep and PROFIL_STOP_ALL see it. */
static void profil_life_list(struct profil_profile *profile)
{
	lockdep_assert_held(&profile->lock);
	mutex_lock(&profil_profiles_lock);
	list_add_tail(&profile->link, &profil_profiles);
	mutex_unlock(&profil_profiles_lock);
}

/**
 * profil_profile_end() - end a profile under its lock
 * @profile: not retired; its lock is held
 * @stored: receives the PCs that it had stored
 *
 * From here on no binding or watch of it is published: ticks already in flight are the last.
 *
 * Context: Process context, may sleep.
 * Return: its pins, for the caller to release without the lock; or NULL.
 */
struct profil_pins *profil_profile_end(struct profil_profile *profile, u64 *stored)
{
	struct profil_pins *pins = profil_profile_pins(profile);

	lockdep_assert_held(&profile->lock);
	WRITE_ONCE(profile->retired, true);
	profil_bindings_remove(profile);
	profil_sections_settle();
	/* Watches still lead ticks to it, and tasks count deferred ticks and answer questions. */
	rcu_assign_pointer(profile->pins, NULL);
	if (profile->recording)
		profil_recording_end(profile->recording);
	profil_sections_settle();
	*stored = atomic64_read(&profile->stored);
	if (pins)
		pins->gone = true;
	profil_claim_put(&profile->claim);
	/* The rest is freed later; a thousand profiles may begin and end until then. */
	profil_user_uncharge_rate(profile->user, profile->rate);
	profile->rate = 0;
	return pins;
}

static struct profil_pins *profil_life_retire(struct profil_profile *profile, u64 *stored)
{
	profil_everybody_end(profile);
	*stored = 0;
	return profile->retired ? NULL : profil_profile_end(profile, stored);
}

/**
 * profil_profile_begin() - list and publish a profile
 * @profile: prepared, known only to the caller, who ends it if this fails
 * @subclass: SINGLE_DEPTH_NESTING if the caller holds the lock of the profile that
 *	it replaces, else 0
 * @publish: lets ticks see it; called with @profile's lock held, must not wait
 * @data: for @publish
 *
 * It is listed first, so that at every moment of a replacement PROFIL_STOP_ALL
 * finds the old profile or this one.  The lock keeps others from ending it
 * before it is published.
 *
 * Context: Process context, may sleep.
 * Return: 0, or what @publish returned.
 */
int profil_profile_begin(struct profil_profile *profile, unsigned int subclass,
			 int (*publish)(struct profil_profile *profile, void *data), void *data)
{
	int err;

	mutex_lock_nested(&profile->lock, subclass);
	profil_life_list(profile);
	err = publish(profile, data);
	mutex_unlock(&profile->lock);
	if (!err)
		profil_sweep_soon();
	return err;
}

/**
 * profil_profile_retire() - end a profile
 * @profile: referenced by the caller; no effect if it is retired already
 *
 * Afterwards nothing is counted any more, and its memory is unpinned.
 *
 * Context: Process context, may sleep; without locks of ours.
 * Return: PCs that it had stored; 0 if it was retired already.
 */
u64 profil_profile_retire(struct profil_profile *profile)
{
	struct profil_pins *pins;
	u64 stored;

	mutex_lock(&profile->lock);
	pins = profil_life_retire(profile, &stored);
	mutex_unlock(&profile->lock);
	if (profile->recording)
		profil_recording_leave(profile->recording);
	if (pins)
		profil_pins_release(pins);
	return stored;
}

/**
 * profil_profile_retire_shut() - end a profile if the program has shut its gate
 * @profile: referenced by the caller
 *
 * Context: Process context, may sleep; without locks of ours.
 * Return: true if it has ended, now or before.
 */
bool profil_profile_retire_shut(struct profil_profile *profile)
{
	struct profil_pins *pins, *spent = NULL;
	bool shut;
	u64 unused;

	mutex_lock(&profile->lock);
	pins = profil_profile_pins(profile);
	/* The sweep may have ended it first. */
	shut = profile->retired || (pins && !profil_pins_open(pins));
	if (shut)
		spent = profil_life_retire(profile, &unused);
	mutex_unlock(&profile->lock);
	if (spent)
		profil_pins_release(spent);
	return shut;
}

/* Pins that are to be released are added to @spent. */
static void profil_settle_one(struct profil_profile *profile, struct profil_pins **spent)
{
	struct profil_pins *pins;
	u64 unused;

	/* Its holder may be waiting for the list, to enter or leave it: try again later. */
	if (!mutex_trylock(&profile->lock)) {
		WRITE_ONCE(profil_settle_wanted, true);
		return;
	}
	pins = profil_profile_pins(profile);
	if (pins && (!atomic_read(&pins->mm->mm_users) || !profil_pins_open(pins))) {
		profil_profile_stop(profile, PROFIL_STATE_STOPPED);
		profil_life_retire(profile, &unused);
		pins->next = *spent;
		*spent = pins;
	}
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		profil_claim_put(&profile->claim);
	mutex_unlock(&profile->lock);
}

static void profil_settle_release(struct profil_pins *spent)
{
	struct profil_pins *next;

	for (; spent; spent = next) {
		next = spent->next;
		profil_pins_release(spent);
		cond_resched();
	}
}

/*
 * Give up the claims of profiles that have stopped by themselves; unless
 * @always, only if one has reported that.  Also end profiles whose gate is shut, and
 * those whose counters' address space has ended: an inherited descriptor, or a ring,
 * may outlive the reader.  Return: true if it has to be done again.
 */
static bool profil_settle_all(bool always)
{
	struct profil_profile *profile;
	struct profil_pins *spent = NULL;

	if (!xchg(&profil_settle_wanted, false) && !always)
		return false;
	mutex_lock(&profil_profiles_lock);
	list_for_each_entry(profile, &profil_profiles, link) {
		profil_settle_one(profile, &spent);
		cond_resched();
	}
	mutex_unlock(&profil_profiles_lock);
	profil_settle_release(spent);
	return READ_ONCE(profil_settle_wanted);
}

static void profil_sweep_work(struct work_struct *work)
{
	bool again = work == &sweep_again.work;

	profil_bindings_sweep();
	if (again) {
		profil_clock_review();
		profil_sources_review();
	}
	again = profil_settle_all(again);
	/*
	 * No probe reports every end of an mm's last user; and the mm of a reader
	 * need not have a binding.
	 */
	if (again || atomic_read(&profil_totals.profiles))
		queue_delayed_work(profil_wq, &sweep_again, SWEEP_AGAIN);
}

/*
 * The next profile that PROFIL_STOP_ALL has not looked at; or NULL.  New profiles come behind
 * those that it has passed.  Sets *retired; if false, the profile is referenced.
 */
static struct profil_profile *profil_life_next(u64 pass, bool *retired)
{
	struct profil_profile *profile;

	mutex_lock(&profil_profiles_lock);
	profile = list_first_entry_or_null(&profil_profiles, struct profil_profile, link);
	if (profile && profile->passed != pass) {
		profile->passed = pass;
		list_move_tail(&profile->link, &profil_profiles);
		/* Without a reference it is about to leave the list. */
		*retired = READ_ONCE(profile->retired) || !profil_profile_get(profile);
	} else {
		profile = NULL;
	}
	mutex_unlock(&profil_profiles_lock);
	return profile;
}

static void profil_life_stop(struct profil_profile *profile)
{
	struct profil_pins *pins;
	u64 unused;

	mutex_lock(&profile->lock);
	profil_profile_stop(profile, PROFIL_STATE_STOPPED);
	pins = profil_life_retire(profile, &unused);
	mutex_unlock(&profile->lock);
	if (pins)
		profil_pins_release(pins);
}

/**
 * profil_profile_stop_all() - end every profile on the machine
 *
 * Ends every profile that exists at the start: the lock of a profile is never held while its
 * owner waits for memory.  Profiles created after that stay.
 *
 * Context: Process context, may sleep.
 * Return: 0; -EINTR if a fatal signal came first.
 */
int profil_profile_stop_all(void)
{
	static DEFINE_MUTEX(one_at_a_time);
	static u64 passes;
	struct profil_profile *profile;
	bool retired;
	int err = 0;

	if (mutex_lock_killable(&one_at_a_time))
		return -EINTR;
	passes++;
	while (!err && (profile = profil_life_next(passes, &retired))) {
		if (!retired) {
			profil_life_stop(profile);
			profil_profile_put(profile);
		}
		err = fatal_signal_pending(current) ? -EINTR : 0;
		cond_resched();
	}
	mutex_unlock(&one_at_a_time);
	return err;
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
 * clock may still tick, but finds no profile.
 */
void profil_life_exit(void)
{
	irq_work_sync(&profil_settle_irq);
	cancel_delayed_work_sync(&profil_sweep);
	cancel_delayed_work_sync(&sweep_again);
}
