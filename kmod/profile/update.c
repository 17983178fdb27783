// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changing what an attached profile counts, between two ticks.
 *
 * Context: process
 */
#include "profile/update.h"

#include "clock/cpus.h"
#include "profile/charge.h"
#include "profile/layout.h"
#include "profile/pages.h"
#include "profile/pins.h"
#include "profile/profile.h"

#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* The pins if they are of current's memory, referenced. */
static struct profil_pins *profil_profile_own_pins(struct profil_profile *profile)
{
	struct profil_pins *pins = profil_profile_get_pins(profile);

	if (!pins)
		return ERR_PTR(-ENOENT);
	if (pins->mm == current->mm)
		return pins;
	profil_pins_put(pins);
	return ERR_PTR(-EPERM);
}

/* Return: what is to be released without the lock. */
static struct profil_pins *profil_profile_replace_pins(struct profil_profile *profile,
						       struct profil_pins *pins)
{
	struct profil_pins *old = profil_profile_pins(profile);

	if (!old)
		return pins;
	profil_pins_share(pins, old);
	rcu_assign_pointer(profile->pins, pins);
	/* Either profil_profile_stop() finds the new pins, or we see the new state. */
	smp_mb();
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		profil_pins_slow(pins);
	profil_clock_sync();
	old->gone = true;
	profil_pins_take_over(pins, old);
	return old;
}

static int profil_profile_repin(struct profil_profile *profile, struct profil_layout *layout,
				const struct profil_pins *old)
{
	struct profil_pins *pins, *spent;

	pins = profil_pins_create(layout, profile->user, &profile->lock, old, false);
	if (IS_ERR(pins))
		return PTR_ERR(pins);
	mutex_lock(&profile->lock);
	spent = profil_profile_replace_pins(profile, pins);
	mutex_unlock(&profile->lock);
	profil_pins_release(spent);
	/* The new pins are left over if the profile has ended. */
	return spent == pins ? -ENOENT : 0;
}

/* @layout: of the same policy as the present one; consumed. */
static int profil_profile_relayout(struct profil_profile *profile, struct profil_layout *layout)
{
	struct profil_pins *old;
	int err = mutex_lock_killable(&profile->memory);

	if (err)
		goto put_layout;
	old = profil_profile_own_pins(profile);
	err = PTR_ERR_OR_ZERO(old);
	if (!err) {
		err = profil_profile_repin(profile, layout, old);
		profil_pins_put(old);
	}
	mutex_unlock(&profile->memory);
put_layout:
	profil_layout_put(layout);
	return err;
}

/**
 * profil_profile_update() - change the regions, between two ticks
 * @profile: an attached profile
 * @update: the regions, not yet checked
 *
 * The policy that is copied from the present layout is the same in every layout of a
 * profile.
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOENT if it is retired, -EPERM if current's address space is not
 * that of the counters, or as profil_layout_create() and profil_pins_create().
 */
int profil_profile_update(struct profil_profile *profile, const struct profil_update *update)
{
	struct profil_pins *old = profil_profile_own_pins(profile);
	struct profil_layout *layout;

	if (IS_ERR(old))
		return PTR_ERR(old);
	layout = profil_layout_update(old->layout, update);
	profil_pins_put(old);
	return IS_ERR(layout) ? PTR_ERR(layout) : profil_profile_relayout(profile, layout);
}

/**
 * profil_profile_move_samples() - change where samples are stored, between two ticks
 * @profile: an attached profile without regions
 * @start: the array, not yet checked
 *
 * Context: Process context, may sleep.
 * Return: as profil_profile_update().
 */
int profil_profile_move_samples(struct profil_profile *profile, const struct profil_start *start)
{
	struct profil_pins *old = profil_profile_own_pins(profile);
	struct profil_layout *layout;

	if (IS_ERR(old))
		return PTR_ERR(old);
	layout = profil_layout_move_samples(old->layout, start);
	profil_pins_put(old);
	return IS_ERR(layout) ? PTR_ERR(layout) : profil_profile_relayout(profile, layout);
}
