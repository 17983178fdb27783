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
	WRITE_ONCE(old->gone, true);
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
	struct profil_layout *old, *layout;
	bool own;
	int err;

	if (!pins)
		return -ENOENT;
	/* They are charged only as long as they are the profile's, so do not wait with them. */
	own = pins->mm == current->mm;
	old = profil_layout_get(pins->layout);
	profil_pins_put(pins);
	layout = own ? profil_layout_move_table(old, start) : ERR_PTR(-EPERM);
	profil_layout_put(old);
	err = PTR_ERR_OR_ZERO(layout);
	if (!err) {
		err = profil_move_pin(profile, layout);
		profil_layout_put(layout);
	}
	return err;
}
