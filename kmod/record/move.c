// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving a recording to another table of counts, between two ticks.
 *
 * Context: process
 */
#include "record/record.h"

#include "memory/pins.h"

#include <linux/err.h>
#include <linux/sched.h>

/* The pins if they are of current's memory, referenced. */
static struct profil_pins *profil_move_own_pins(struct profil_profile *profile)
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
static struct profil_pins *profil_move_replace(struct profil_profile *profile,
					       struct profil_pins *pins)
{
	struct profil_pins *old = profil_profile_pins(profile);

	if (!old)
		return pins;
	rcu_assign_pointer(profile->pins, pins);
	profil_sections_settle();
	old->gone = true;
	return old;
}

static int profil_move_pin(struct profil_profile *profile, struct profil_layout *layout)
{
	struct profil_pins *pins, *spent;

	pins = profil_pins_create(layout, &profile->lock, profile->user);
	if (IS_ERR(pins))
		return PTR_ERR(pins);
	mutex_lock(&profile->lock);
	spent = profil_move_replace(profile, pins);
	mutex_unlock(&profile->lock);
	profil_pins_release(spent);
	/* The new pins are left over if the recording has ended. */
	return spent == pins ? -ENOENT : 0;
}

/* The profile's @memory is held. */
static int profil_move_locked(struct profil_profile *profile, const struct profil_start *start)
{
	struct profil_pins *old = profil_move_own_pins(profile);
	struct profil_layout *layout;
	int err;

	if (IS_ERR(old))
		return PTR_ERR(old);
	layout = profil_layout_move_table(old->layout, start);
	err = PTR_ERR_OR_ZERO(layout);
	if (!err) {
		err = profil_move_pin(profile, layout);
		profil_layout_put(layout);
	}
	profil_pins_put(old);
	return err;
}

/**
 * profil_recording_move() - change the table of counts, between two ticks
 * @profile: of a recording
 * @start: the table, as samples, checked
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR, -ENOENT if it has ended, -EPERM if current's address space is not that of
 * the table, or as profil_layout_create() and profil_pins_create().
 */
int profil_recording_move(struct profil_profile *profile, const struct profil_start *start)
{
	struct profil_pins *own = profil_move_own_pins(profile);
	int err;

	/* The lock is only for tasks of the table's owner: its holder may wait for memory. */
	if (IS_ERR(own))
		return PTR_ERR(own);
	profil_pins_put(own);
	err = mutex_lock_killable(&profile->memory);
	if (err)
		return err;
	err = profil_move_locked(profile, start);
	mutex_unlock(&profile->memory);
	return err;
}
