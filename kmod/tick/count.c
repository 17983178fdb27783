// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting ticks, once their place in pinned memory is known.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/counter.h"

#include "memory/pins.h"

#include <linux/log2.h>

/**
 * profil_count_in() - add to a counter, by the profile's policy
 * @profile: it stops if the policy says so
 * @pins: its pins
 * @counter: in a pinned page
 * @width: its bytes
 * @ticks: how many; receives how many of them had the outcome
 *
 * Context: Interrupts off.
 * Return: the outcome of the ticks.
 */
enum profil_cause profil_count_in(struct profil_profile *profile, const struct profil_pins *pins,
				  void *counter, u32 width, u64 *ticks)
{
	const struct profil_layout *layout = pins->layout;
	enum profil_cause cause;

	if (layout->how.limit_policy == PROFIL_WRAP)
		return profil_counter_wrap(counter, width, *ticks);
	cause = profil_counter_limit(counter, width, layout->limit[ilog2(width)], ticks);
	if (cause == PROFIL_SATURATED && layout->how.limit_policy == PROFIL_LIMIT_STOP) {
		*ticks = 1;	/* the profile is off for the others */
		profil_profile_stop(profile, PROFIL_STATE_LIMIT);
	}
	return cause;
}

/**
 * profil_count_store() - store a PC, and count it in the gate
 * @pins: of the profile
 * @element: of the array of PCs, in a pinned page
 * @pc: the PC
 *
 * Context: Interrupts off.
 * Return: the outcome of the tick.
 */
enum profil_cause profil_count_store(const struct profil_pins *pins, void *element, u64 pc)
{
	struct profil_gate *gate = profil_pins_gate(pins);

	if (pins->layout->how.sample_width == 4)
		WRITE_ONCE(*(u32 *)element, pc);
	else
		WRITE_ONCE(*(u64 *)element, pc);
	if (gate)
		atomic64_inc((atomic64_t *)&gate->stored);
	return PROFIL_COUNTED;
}
