// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting ticks, once their place in pinned memory is known.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/sample.h"

#include <linux/bitops.h>

/* Kernel address of a position; NULL if its page is not pinned, or not the deferral's. */
static void *profil_count_address(const struct profil_pins *pins, u64 position,
				  const struct profil_deferral *deferral)
{
	u64 index = position >> PAGE_SHIFT;
	void *page;

	if (!deferral)
		page = profil_page_at(pins, index);
	else
		page = deferral->index == index ? deferral->page : NULL;
	profil_window();
	return likely(page) ? page + offset_in_page(position) : NULL;
}

static void profil_count_write(const struct profil_pins *pins, void *element, u64 pc)
{
	struct profil_gate *gate = profil_pins_gate(pins);

	if (pins->layout->how.sample_width == 4)
		WRITE_ONCE(*(u32 *)element, pc);
	else
		WRITE_ONCE(*(u64 *)element, pc);
	if (gate)
		atomic64_inc((atomic64_t *)&gate->stored);
}

/**
 * profil_count_store() - store a PC in the next element of the array
 * @profile: a self profile that runs
 * @pins: its pins; their layout has an array
 * @pc: the PC
 * @deferral: it is stored in its page only; NULL: in those of @pins
 *
 * Only other ticks, which store theirs, can win the race for the element, and each of them runs
 * on a CPU of its own.
 *
 * Context: Interrupts off, in a section.
 * Return: the outcome of the tick; PROFIL_DEFERRED, with nothing stored, without the page.
 */
enum profil_cause profil_count_store(struct profil_profile *profile,
				     const struct profil_pins *pins, u64 pc,
				     const struct profil_deferral *deferral)
{
	const struct profil_layout *layout = pins->layout;
	s64 index = atomic64_read(&profile->stored);
	void *element;

	do {
		if (index >= layout->how.nr_samples) {
			if (!layout->pcsample)
				return PROFIL_OUTSIDE;
			/* A child may have been forked just before its parent went off. */
			profil_profile_stop(profile, PROFIL_STATE_FULL);
			return PROFIL_OFF;
		}
		element = profil_count_address(pins, profil_layout_sample(layout, index),
					       deferral);
		if (!element)
			return PROFIL_DEFERRED;
	} while (!atomic64_try_cmpxchg(&profile->stored, &index, index + 1));
	profil_count_write(pins, element, pc);
	if (layout->pcsample && index + 1 == layout->how.nr_samples)
		profil_profile_stop(profile, PROFIL_STATE_FULL);
	return PROFIL_COUNTED;
}

/**
 * profil_count_at() - count ticks at their place
 * @profile: a self profile that runs
 * @pins: its pins
 * @place: where
 * @deferral: they count in its page only; NULL: in those of @pins
 * @ticks: how many, not 0; receives how many of them had the outcome, at least 1
 *
 * Context: Interrupts off, in a section.
 * Return: the outcome of the ticks; PROFIL_DEFERRED, with nothing counted, without their page.
 */
enum profil_cause profil_count_at(struct profil_profile *profile, const struct profil_pins *pins,
				  const struct profil_place *place,
				  const struct profil_deferral *deferral, u64 *ticks)
{
	const struct profil_layout *layout = pins->layout;
	enum profil_cause cause;
	void *counter;

	if (unlikely(pins->holes) && test_bit(place->region, pins->holes))
		return PROFIL_OFF;
	if (!place->width) {
		*ticks = 1;	/* each has its own element */
		return profil_count_store(profile, pins, place->pc, deferral);
	}
	counter = profil_count_address(pins, place->position, deferral);
	if (unlikely(!counter))
		return PROFIL_DEFERRED;
	cause = profil_counter_add(layout, counter, place->width, ticks);
	if (cause == PROFIL_SATURATED && layout->how.limit_policy == PROFIL_LIMIT_STOP) {
		*ticks = 1;	/* the profile is off for the others */
		profil_profile_stop(profile, PROFIL_STATE_LIMIT);
	}
	return cause;
}
