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

/* The profile's @memory is held.  @old: its layout, or an earlier one of the same recording. */
static int profil_move_locked(struct profil_profile *profile, const struct profil_layout *old,
			      const struct profil_start *start)
{
	struct profil_layout *layout = profil_layout_move_table(old, start);
	int err;

	if (IS_ERR(layout))
		return PTR_ERR(layout);
	err = profil_move_pin(profile, layout);
	profil_layout_put(layout);
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
	struct profil_pins *pins = profil_profile_get_pins(profile);
	int err;

	if (!pins)
		return -ENOENT;
	/* The lock is only for tasks of the table's owner: its holder may wait for memory. */
	err = pins->mm == current->mm ? mutex_lock_killable(&profile->memory) : -EPERM;
	if (!err) {
		err = profil_move_locked(profile, pins->layout, start);
		mutex_unlock(&profile->memory);
	}
	profil_pins_put(pins);
	return err;
}
