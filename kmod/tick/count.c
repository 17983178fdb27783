// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting ticks of self profiles, once their place is known: in the pinned page, or, if it is not
 * pinned, when their thread returns to user mode.
 *
 * A tick cannot touch memory that may have to be faulted in.  It stores the place in a
 * deferral, as a classic Unix kernel does when it owes a process a tick, and the thread
 * itself pins the page on its way to user mode (self/demand.c).  Until then the tick has
 * no outcome.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/counter.h"

#include "tick/sample.h"

#include <linux/bitops.h>
#include <linux/sched.h>

/* Return: the kernel address of a position; NULL if its page is not pinned, or not @deferral's. */
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
 * @deferral: store only in this deferral's page; NULL: in the pages of @pins
 *
 * The loop is short: only other ticks, which then store their PC, can win the race for an element,
 * and each of them runs on a CPU of its own.
 *
 * Context: Interrupts off, in a section.
 * Return: the outcome of the tick; PROFIL_DEFERRED, with nothing stored, if there is no page.
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
			/* A child may have been forked just before its parent's profile stopped. */
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
 * @place: their place
 * @deferral: count only in this deferral's page; NULL: in the pages of @pins
 * @ticks: number of ticks, not 0; receives the number that had the outcome, at least 1
 *
 * Context: Interrupts off, in a section.
 * Return: the outcome of the ticks; PROFIL_DEFERRED, with nothing counted, if there is no page.
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
		*ticks = 1;	/* for the rest, the profile is off */
		profil_profile_stop(profile, PROFIL_STATE_LIMIT);
	}
	return cause;
}

static bool profil_defer_same(const struct profil_place *a, const struct profil_place *b)
{
	return a->width == b->width && a->position == b->position && a->pc == b->pc &&
	       a->region == b->region;
}

static struct profil_deferral *profil_defer_find(const struct profil_profile *profile,
						 const struct profil_place *place)
{
	struct profil_deferral *deferral;
	unsigned int i;

	for (i = 0; i < PROFIL_DEFERRALS; i++) {
		deferral = &profile->deferral[i];
		if (READ_ONCE(deferral->task) == current &&
		    profil_defer_same(&deferral->place, place))
			return deferral;
	}
	return NULL;
}

/**
 * profil_defer() - defer ticks until current returns to user mode
 * @profile: a self profile of current's address space
 * @place: their place
 * @ticks: number of ticks
 *
 * Context: The tick.
 * Return: PROFIL_DEFERRED, or the outcome of the ticks if they cannot wait.
 */
enum profil_cause profil_defer(struct profil_profile *profile, const struct profil_place *place,
			       u64 ticks)
{
	unsigned int i, nr = place->user ? PROFIL_DEFERRALS : PROFIL_DEFERRALS_KERNEL;
	struct profil_deferral *deferral = profil_defer_find(profile, place);

	if (deferral) {
		deferral->count += ticks;
		return PROFIL_DEFERRED;
	}
	for (i = 0; i < nr; i++) {
		deferral = &profile->deferral[i];
		if (!READ_ONCE(deferral->task) && !cmpxchg(&deferral->task, NULL, current))
			break;
	}
	if (i == nr)
		return PROFIL_CONTENDED;
	deferral->place = *place;
	deferral->count = ticks;
	deferral->turn = atomic64_inc_return(&profile->turns);
	if (profil_profile_add_work(profile, &deferral->work))
		return PROFIL_DEFERRED;
	/* Current is too late in its exit: it will not return to user mode. */
	smp_store_release(&deferral->task, NULL);
	return PROFIL_OFF;
}

/* The page cannot be written: turn off the region that counts there, or else the profile. */
static void profil_defer_hole(struct profil_deferral *deferral, struct profil_pins *pins)
{
	struct profil_profile *profile = deferral->profile;
	u64 hole = READ_ONCE(profile->hole);

	if (pins->holes && deferral->place.width) {
		set_bit(deferral->place.region, pins->holes);
		profil_pins_slow(pins);	/* the fast path does not look for holes */
		return;
	}
	while (deferral->turn < hole && !try_cmpxchg(&profile->hole, &hole, deferral->turn))
		;
	profil_profile_stop(profile, PROFIL_STATE_FAULT);
}

/**
 * profil_defer_runs() - check whether deferred ticks may still count
 * @deferral: the ticks
 * @pins: the profile's pins; NULL if it has ended
 *
 * Ticks that were deferred before a tick that met a hole still count.
 *
 * Context: Interrupts off, in a section.
 * Return: true if they may.
 */
bool profil_defer_runs(const struct profil_deferral *deferral, const struct profil_pins *pins)
{
	const struct profil_profile *profile = deferral->profile;
	u32 state = smp_load_acquire(&profile->state);	/* see profil_defer_hole() */

	if (!pins || !profil_pins_open(pins))
		return false;
	return state == PROFIL_STATE_RUNNING ||
	       (state == PROFIL_STATE_FAULT && deferral->turn < READ_ONCE(profile->hole));
}

/**
 * profil_defer_settle() - count a thread's deferred ticks
 * @deferral: a deferral of current, with its page; free afterwards, unless ticks are left
 * @hole: the page is not there, or cannot be written
 *
 * Interrupts stay off from the check of the gate until the ticks are counted: a program that shuts
 * the gate and then waits for ticks with membarrier(2) waits for this, too.  The wait is short:
 * ticks of one counter take few additions, and the elements of an array of PCs are in one page.
 *
 * Context: Process context in the thread that had the ticks.
 * Return: true if ticks are left, which need the next page of the array.
 */
bool profil_defer_settle(struct profil_deferral *deferral, bool hole)
{
	struct profil_profile *profile = deferral->profile;
	struct profil_tally *tally;
	struct profil_pins *pins;
	enum profil_cause cause;
	unsigned long flags;
	u64 left, some;

	local_irq_save(flags);
	profil_section_enter();
	pins = rcu_dereference_sched(profile->pins);
	tally = profil_tally_here(profile);
	if (hole && profil_defer_runs(deferral, pins))
		profil_defer_hole(deferral, pins);
	for (left = deferral->count; left; left -= some) {
		some = left;
		cause = PROFIL_OFF;
		/* Check each time: a counter at its limit may have stopped the profile. */
		if (profil_defer_runs(deferral, pins))
			cause = profil_count_at(profile, pins, &deferral->place, deferral, &some);
		if (cause == PROFIL_DEFERRED) {
			if (deferral->page)
				break;
			cause = PROFIL_CONTENDED;
		}
		/* The rest have no page either, and an array that is full stays full. */
		if (cause != PROFIL_COUNTED && cause != PROFIL_SATURATED)
			some = left;
		tally->cause[cause] += some;
	}
	tally->granted += deferral->count - left;
	deferral->count = left;
	if (!left)
		smp_store_release(&deferral->task, NULL);	/* ticks may use it again */
	profil_section_leave();
	local_irq_restore(flags);
	return left;
}
