// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sample of one profile: from a PC to a counter of one of its regions.
 *
 * It may stand for several ticks that a profile is owed.  If their outcomes differ, *@ticks is
 * lowered to those that have the first outcome, and the caller calls again for the rest.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/sample.h"

#include "compat.h"

#include <linux/sched/task_stack.h>

static enum profil_cause profil_count_or_defer(struct profil_profile *profile,
					       const struct profil_pins *pins,
					       const struct profil_place *place, u64 *ticks)
{
	enum profil_cause cause = profil_count_at(profile, pins, place, NULL, ticks);

	return cause == PROFIL_DEFERRED ? profil_defer(profile, place, *ticks) : cause;
}

/* In the array of PCs, or in the overflow counter. */
static enum profil_cause profil_count_outside(struct profil_profile *profile,
					      const struct profil_pins *pins, u64 pc, bool user,
					      u64 *ticks)
{
	const struct profil_layout *layout = pins->layout;
	struct profil_place place = { .region = layout->nr_bins, .user = user };

	if (layout->how.samples) {
		place.pc = pc;
	} else if (layout->how.overflow) {
		place.position = layout->overflow;
		place.width = layout->how.overflow_width;
	} else {
		return PROFIL_OUTSIDE;
	}
	return profil_count_or_defer(profile, pins, &place, ticks);
}

/**
 * profil_sample() - count ticks of one profile, on the slow path
 * @profile: any but a recording, in any state and mode
 * @regs: what they interrupted
 * @ticks: how many, not 0; receives how many of them had the outcome, at least 1
 *
 * Context: Interrupts off, in a section.
 * Return: the outcome of the ticks.
 */
noinline enum profil_cause profil_sample(struct profil_profile *profile, struct pt_regs *regs,
					 u64 *ticks)
{
	const struct profil_pins *pins;
	const struct profil_bin *bin;
	bool user = user_mode(regs);
	struct profil_place place;
	u64 pc;

	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return PROFIL_OFF;
	if (!user) {
		if (current->flags & PROFIL_PF_NO_USER_PC)
			return PROFIL_NO_USER_PC;
		if (!(profile->flags & PROFIL_KERNEL_TICKS))
			return PROFIL_KERNEL;
		regs = task_pt_regs(current);
	}
	pins = rcu_dereference_sched(profile->pins);
	if (!pins)
		return PROFIL_OFF;
	if (unlikely(!profil_pins_open(pins))) {
		profil_profile_stop(profile, PROFIL_STATE_STOPPED);
		return PROFIL_OFF;
	}

	pc = instruction_pointer(regs);
	bin = profil_layout_find(pins->layout, pc);
	if (!bin)
		return profil_count_outside(profile, pins, pc, user, ticks);
	if (!bin->width)
		return PROFIL_OUTSIDE;
	place = (struct profil_place) {
		.position = profil_bin_position(bin, pc),
		.region = bin - pins->layout->bin,
		.width = bin->width,
		.user = user,
	};
	return profil_count_or_defer(profile, pins, &place, ticks);
}
