// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks whose page is not pinned: they wait until their thread returns to user mode.
 *
 * An interrupt cannot look at memory that may have to be faulted in.  It notes the
 * place, as a classic Unix kernel does when it owes a process a tick, and the thread
 * itself pins the page on its way to user mode (demand.c).  Until then the tick has
 * no outcome.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/record.h"

#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/task_work.h>

static u32 profil_defer_step(const struct profil_profile *profile, const struct profil_place *place)
{
	return place->width ? 0 : profile->demand->layout->how.sample_width;
}

/* Return: true if ticks at this place can be added to a deferral. */
static bool profil_defer_extends(const struct profil_profile *profile,
				 const struct profil_deferral *deferral,
				 const struct profil_place *place)
{
	const struct profil_place *first = &deferral->place;
	u64 next = first->position + deferral->count * profil_defer_step(profile, first);

	return first->width == place->width && first->pc == place->pc &&
	       first->region == place->region && place->position == next &&
	       next >> PAGE_SHIFT == first->position >> PAGE_SHIFT;
}

static struct profil_deferral *profil_defer_find(const struct profil_profile *profile,
						 const struct profil_place *place)
{
	struct profil_deferral *deferral;
	unsigned int i;

	for (i = 0; i < PROFIL_DEFERRALS; i++) {
		deferral = &profile->demand->deferral[i];
		if (READ_ONCE(deferral->task) == current &&
		    profil_defer_extends(profile, deferral, place))
			return deferral;
	}
	return NULL;
}

static struct profil_deferral *profil_defer_claim(const struct profil_profile *profile, bool user)
{
	unsigned int i, nr = user ? PROFIL_DEFERRALS : PROFIL_DEFERRALS_KERNEL;
	struct profil_deferral *deferral;

	for (i = 0; i < nr; i++) {
		deferral = &profile->demand->deferral[i];
		if (!READ_ONCE(deferral->task) && !cmpxchg(&deferral->task, NULL, current))
			return deferral;
	}
	return NULL;
}

/**
 * profil_defer() - have ticks counted when current returns to user mode
 * @profile: a self profile of current's address space
 * @place: where
 * @ticks: how many; 1 for an array of PCs
 *
 * Context: The tick.
 * Return: PROFIL_DEFERRED, or the outcome of the ticks if they cannot wait.
 */
enum profil_cause profil_defer(struct profil_profile *profile, const struct profil_place *place,
			       u64 ticks)
{
	struct profil_deferral *deferral = profil_defer_find(profile, place);

	if (deferral) {
		WRITE_ONCE(deferral->count, deferral->count + ticks);
		return PROFIL_DEFERRED;
	}
	deferral = profil_defer_claim(profile, place->user);
	if (!deferral)
		return PROFIL_CONTENDED;
	deferral->mm = current->mm;
	deferral->place = *place;
	deferral->turn = atomic64_inc_return(&profile->demand->turns);
	/* With the place: see profil_defer_tail(). */
	smp_store_release(&deferral->count, ticks);
	if (profil_profile_get(profile)) {
		if (!task_work_add(current, &deferral->work, TWA_RESUME))
			return PROFIL_DEFERRED;
		profil_profile_put(profile);
	}
	WRITE_ONCE(deferral->count, 0);
	/* Too late in its exit: it will not return to user mode. */
	smp_store_release(&deferral->task, NULL);
	return PROFIL_OFF;
}

/* Return: the first of the PCs that wait in a deferral and are the last of @stored; or @stored. */
static u64 profil_defer_tail(const struct profil_layout *layout,
			     const struct profil_deferral *deferral, u64 stored)
{
	u64 count = smp_load_acquire(&deferral->count);	/* after its place */
	u64 first;

	if (!count || deferral->place.width)
		return stored;
	first = (READ_ONCE(deferral->place.position) - layout->samples) >>
		ilog2(layout->how.sample_width);
	return first < stored && first + count >= stored ? first : stored;
}

/**
 * profil_defer_stored() - number of PCs in the array, also in that of a child forked now
 * @profile: a self profile
 * @stored: number of PCs that have a place
 *
 * The last ones may still wait for their page: they do not count, and a child does not inherit
 * them.  Others that wait leave holes: in the parent until they are stored, in the child for good.
 *
 * Context: The fork probe; or under the lock of the profile's demand.
 * Return: their number; not more than @stored.
 */
u64 profil_defer_stored(const struct profil_profile *profile, u64 stored)
{
	const struct profil_demand *demand = profile->demand;
	unsigned int i, round;

	/* In each round a deferral may become the last one. */
	for (round = 0; round < PROFIL_DEFERRALS; round++)
		for (i = 0; i < PROFIL_DEFERRALS; i++)
			stored = profil_defer_tail(demand->layout, &demand->deferral[i], stored);
	return stored;
}

/* The page cannot be written: turn off what would be counted there. */
static void profil_defer_hole(struct profil_deferral *deferral, struct profil_pins *pins)
{
	struct profil_profile *profile = deferral->profile;
	const struct profil_place *place = &deferral->place;

	if (pins->holes && place->width) {
		set_bit(place->region, pins->holes);
		profil_pins_slow(pins);	/* the fast path does not look for holes */
		return;
	}
	profile->demand->hole = min(profile->demand->hole, deferral->turn);
	profil_profile_stop(profile, PROFIL_STATE_FAULT);
	/* A hole is a fault, even if other ticks have already taken the array's last elements. */
	cmpxchg(&profile->state, PROFIL_STATE_FULL, PROFIL_STATE_FAULT);
}

/**
 * profil_defer_runs() - may deferred ticks still count?
 * @deferral: theirs
 * @pins: the profile's, which stay for the call; NULL: it has ended
 *
 * The tick that took the last element has stopped the profile, and its PC belongs
 * there.  Ticks that came before the one that found a hole count, too.
 *
 * Context: Interrupts off, under the lock of the profile's demand.
 * Return: true if they may.
 */
bool profil_defer_runs(const struct profil_deferral *deferral, const struct profil_pins *pins)
{
	const struct profil_profile *profile = deferral->profile;

	if (!pins || !profil_pins_open(pins))
		return false;
	switch (READ_ONCE(profile->state)) {
	case PROFIL_STATE_RUNNING:
		return true;
	case PROFIL_STATE_FULL:
		return !deferral->place.width;
	case PROFIL_STATE_FAULT:
		return deferral->turn < profile->demand->hole;
	default:
		return false;
	}
}

static enum profil_cause profil_defer_count(const struct profil_deferral *deferral,
					    const struct profil_pins *pins, void *at, u64 *ticks)
{
	const struct profil_place *place = &deferral->place;

	return place->width ? profil_count_in(deferral->profile, pins, at, place->width, ticks) :
			      profil_count_store(pins, at, place->pc);
}

/**
 * profil_defer_return() - give back the last elements of the array of PCs
 * @profile: a profile
 * @position: of the first element
 * @nr: how many; nothing was stored there
 *
 * An element below one that another tick has taken stays empty.
 *
 * Context: Interrupts off.
 */
void profil_defer_return(struct profil_profile *profile, u64 position, u64 nr)
{
	const struct profil_layout *layout = profile->demand->layout;
	u64 index = (position - layout->samples) >> ilog2(layout->how.sample_width);

	while (nr--)
		atomic64_cmpxchg(&profile->stored, index + nr + 1, index + nr);
}

/**
 * profil_defer_settle() - count a thread's deferred ticks
 * @deferral: current's; free afterwards
 * @pins: as for profil_defer_runs()
 * @page: kernel address of its pinned page, or NULL if there is no page
 * @hole: the page is not there, or cannot be written
 *
 * Interrupts stay off from the look at the gate to the counting: a program that shuts the
 * gate and then waits for ticks with membarrier(2) waits for this, too.  It is short: ticks of
 * one counter take few additions, and the elements of an array of PCs are in one page.
 *
 * Context: Process context in the thread that had the ticks, interrupts off, under
 * the lock of the profile's demand.
 */
void profil_defer_settle(struct profil_deferral *deferral, struct profil_pins *pins,
			 void *page, bool hole)
{
	struct profil_profile *profile = deferral->profile;
	struct profil_place *place = &deferral->place;
	struct profil_tally *tally = this_cpu_ptr(profile->tally);
	bool runs = profil_defer_runs(deferral, pins);
	enum profil_cause cause = hole || !runs ? PROFIL_OFF : PROFIL_CONTENDED;
	u64 step = profil_defer_step(profile, place);
	u64 first = place->position, counted = 0, left, some;

	if (runs && hole)
		profil_defer_hole(deferral, pins);
	for (left = deferral->count; left; left -= some) {
		some = step ? 1 : left;
		/* Each time: a counter at its limit may have stopped the profile. */
		if (page)
			cause = profil_defer_runs(deferral, pins) ?
				profil_defer_count(deferral, pins,
						   page + (place->position & ~PAGE_MASK), &some) :
				PROFIL_OFF;
		tally->cause[cause] += some;
		if (cause == PROFIL_COUNTED)
			counted += some;
		WRITE_ONCE(place->position, place->position + step);
	}
	tally->granted += deferral->count;
	/* The elements that were stored come first. */
	if (step)
		profil_defer_return(profile, first + counted * step, deferral->count - counted);
	WRITE_ONCE(deferral->count, 0);
	/* Only now may a tick on another CPU use the deferral. */
	smp_store_release(&deferral->task, NULL);
}
