// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick: it finds the profiles that it counts for and, for a self profile, the counter's place.
 *
 * It takes no lock, allocates nothing, and touches only memory that cannot fault:
 * the table, the profile, and pinned pages through the kernel's direct map.
 * Bindings and profiles that it reaches stay for a grace period, pins until
 * profil_sections_settle().
 *
 * The counters belong to a program that may change them at any time: a value read
 * there is never trusted, only incremented.
 *
 * The source may tick more often than a profile asked for, or less often, or late.  So a sample may
 * stand for several ticks that the profile is owed.  If their outcomes differ, *@ticks is lowered
 * to the number with the first outcome, and the caller calls again for the rest.
 *
 * Context: hard interrupt, interrupts off, on PREEMPT_RT too
 */
#include "tick/sample.h"

#include "compat.h"
#include "profile/recording.h"

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>

/*
 * An interrupt must not count for long.  Ticks that go to one counter are one addition, so this
 * limits arrays of PCs alone.
 */
#define OWED_TURNS	1024

DEFINE_PER_CPU(struct profil_memo, profil_memo) = { .mm = (void *)1 };

/*
 * Place a tick outside all regions: in the array of PCs, or in the overflow counter.  Return: false
 * if there is neither.
 */
static bool profil_place_outside(const struct profil_layout *layout, u64 pc,
				 struct profil_place *place)
{
	place->region = layout->nr_bins;
	if (layout->how.samples) {
		place->pc = pc;
	} else if (layout->how.overflow) {
		place->position = layout->overflow;
		place->width = layout->how.overflow_width;
	} else {
		return false;
	}
	return true;
}

/*
 * Count *@ticks of a self profile, in any state and mode, on the slow path.  *@ticks receives the
 * number of them that had the outcome, at least 1.  Return: the outcome.
 */
static noinline enum profil_cause profil_sample(struct profil_profile *profile,
						struct pt_regs *regs, u64 *ticks)
{
	struct profil_place place = { .user = user_mode(regs) };
	const struct profil_pins *pins;
	const struct profil_bin *bin;
	enum profil_cause cause;
	u64 pc;

	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return PROFIL_OFF;
	if (!place.user) {
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
	if (bin && bin->width) {
		place.position = profil_bin_position(bin, pc);
		place.region = bin - pins->layout->bin;
		place.width = bin->width;
	} else if (bin || !profil_place_outside(pins->layout, pc, &place)) {
		return PROFIL_OUTSIDE;
	}
	cause = profil_count_at(profile, pins, &place, NULL, ticks);
	return cause == PROFIL_DEFERRED ? profil_defer(profile, &place, *ticks) : cause;
}

/*
 * Count ticks that did not come.  With PROFIL_OWED_TICKS they count where the program is now.
 * Without this flag, or if @regs is NULL, they are PROFIL_LATE.  If the profile is stopped, they
 * are PROFIL_OFF.
 */
static noinline void profil_owe(struct profil_profile *profile, struct profil_tally *tally,
				struct pt_regs *regs, u64 ticks)
{
	bool runs = READ_ONCE(profile->state) == PROFIL_STATE_RUNNING;
	bool counts = runs && regs && profile->flags & PROFIL_OWED_TICKS;
	unsigned int turns = counts ? OWED_TURNS : 0;
	enum profil_cause cause;
	u64 some;

	tally->granted += ticks;
	for (; ticks && turns; turns--) {
		some = ticks;
		cause = profil_sample(profile, regs, &some);
		if (cause == PROFIL_DEFERRED)
			tally->granted -= some;
		else
			tally->cause[cause] += some;
		ticks -= some;
	}
	tally->cause[runs ? PROFIL_LATE : PROFIL_OFF] += ticks;
}

/* Count ticks that a profile is owed because its source ticks more slowly than it asked for. */
static noinline void profil_due_often(struct profil_profile *profile, struct profil_tally *tally,
				      struct pt_regs *regs)
{
	u64 more = div64_u64_rem(tally->credit, profile->period, &tally->credit);

	profil_owe(profile, tally, regs, more);
}

/**
 * profil_due_now() - check whether a profile takes a tick of a different period
 * @profile: the profile, which asked for more ticks, or for fewer
 * @tally: the profile's tally of this CPU
 * @regs: the interrupted registers; NULL: ticks that the profile is owed are PROFIL_LATE
 * @period: ns, or events, that the tick stands for
 *
 * Context: Interrupts off, in a section.
 * Return: true if it does.
 */
noinline bool profil_due_now(struct profil_profile *profile, struct profil_tally *tally,
			     struct pt_regs *regs, u64 period)
{
	tally->credit += period;
	if (tally->credit < profile->period)
		return false;
	tally->credit -= profile->period;
	if (unlikely(tally->credit >= profile->period))
		profil_due_often(profile, tally, regs);
	return true;
}

/*
 * The fast path of a self profile that stores PCs.  Return: the outcome; PROFIL_NR_CAUSES, with
 * nothing stored, if the slow path has to count the tick.
 */
static __always_inline enum profil_cause profil_sample_pc(struct profil_profile *profile,
							  struct pt_regs *regs)
{
	const struct profil_pins *pins = rcu_dereference_sched(profile->pins);
	u64 pc = instruction_pointer(regs);
	enum profil_cause cause;

	if (!profil_sample_may_be_fast(pins, regs) || !pins->layout->how.samples ||
	    profil_layout_find(pins->layout, pc))
		return PROFIL_NR_CAUSES;
	cause = profil_count_store(profile, pins, pc, NULL);
	return cause == PROFIL_DEFERRED ? PROFIL_NR_CAUSES : cause;
}

static noinline enum profil_cause profil_sample_slow(struct profil_profile *profile,
						     struct pt_regs *regs)
{
	u64 ticks = 1;

	return profil_sample(profile, regs, &ticks);
}

/**
 * profil_tick_profile() - count one tick of a self profile
 * @profile: the profile
 * @regs: the interrupted registers
 * @period: ns that the tick stands for
 *
 * Context: Interrupts off, in a section.
 */
void profil_tick_profile(struct profil_profile *profile, struct pt_regs *regs, u64 period)
{
	struct profil_tally *tally = profil_tally_here(profile);
	enum profil_cause cause;

	if (profile->period != period && !profil_due_now(profile, tally, regs, period))
		return;
	cause = profil_sample_pc(profile, regs);
	if (cause == PROFIL_NR_CAUSES)
		cause = profil_sample_slow(profile, regs);
	/* profil_defer_settle() adds it to @granted when it counts it. */
	if (unlikely(cause == PROFIL_DEFERRED))
		tally->granted--;
	else
		tally->cause[cause]++;
	if (!--tally->countdown)
		profil_profile_checkpoint(profile, tally, user_mode(regs));
}

/* @binding: to current's address space.  Return: false if it is only to another thread. */
static bool profil_binding_is_current(const struct profil_binding *binding)
{
	return !binding->thread || binding->thread == task_pid(current);
}

/**
 * profil_tick_source() - count one tick, on the slow path
 * @source: the event that ticks; NULL: the clock
 * @regs: the interrupted registers
 * @period: ns, or events, that the tick stands for
 *
 * Counts for any number of profiles, in any state.
 *
 * Context: Interrupts off, in a section.
 * Return: true if the next tick may have to sample current.  Bindings to other address spaces in
 * the same bucket do not matter: a profile that begins later arms the clock itself.
 */
bool profil_tick_source(const struct profil_source *source, struct pt_regs *regs, u64 period)
{
	struct mm_struct *mm = current->mm;
	struct profil_binding *binding;
	bool bound = false;
	u32 met = 0;

	/* The chain may be empty, or hold other processes' bindings. */
	if (!mm)
		return profil_tick_unbound(source, regs, period);
	hlist_for_each_entry_rcu(binding, profil_tick_chain(mm), node) {
		if (binding->mm != mm || binding->profile->claim.source != source ||
		    !profil_binding_is_current(binding))
			continue;
		bound = true;
		met |= profil_everybody_bit(binding->profile);
		if (binding->key & PROFIL_KEY_OWNED)
			profil_tick_recording(binding, regs, period);
		else
			profil_tick_profile(binding->profile, regs, period);
	}
	if (unlikely(!bound && current->in_execve)) {
		profil_tick_unbound(source, regs, period);
		return true;
	}
	if (unlikely(!profil_everybody_met(met)))
		bound |= profil_tick_unmet(source, met, regs, period);
	return bound;
}

/**
 * profil_tick_any() - count one tick of the clock
 * @regs: the interrupted registers
 * @period: ns that the tick stands for: the clock's period, unless the tick is irregular
 *
 * A single recording needs no walk along the chain.
 *
 * Context: Hard interrupt, interrupts off, in a section.
 * Return: true if the next tick may have to sample current.
 */
bool profil_tick_any(struct pt_regs *regs, u64 period)
{
	struct profil_binding *only = profil_tick_only(current->mm);

	if (only && only->key == ((unsigned long)current->mm | PROFIL_KEY_OWNED)) {
		profil_tick_recording(only, regs, period);
		return true;
	}
	return profil_tick_source(NULL, regs, period);
}

/* Count points of the clock's grid that passed without a tick while current ran. */
static void profil_late_profile(struct profil_profile *profile, struct pt_regs *regs, u64 period,
				u64 since, u64 due)
{
	struct profil_tally *tally = profil_tally_here(profile);
	u64 lost;

	since = max(since, profile->started);
	if (due <= since)
		return;
	tally->late_credit += div64_u64(due - since - 1, period) * period;
	lost = div64_u64_rem(tally->late_credit, profile->period, &tally->late_credit);
	if (lost)
		profil_owe(profile, tally, regs, lost);
}

/**
 * profil_late() - count ticks that should have come and did not
 * @regs: the interrupted registers
 * @period: the clock's period, in ns
 * @since: time since which they are missing, in ns of CLOCK_MONOTONIC
 * @due: when the current tick, which is not one of them, was due
 *
 * Missing ticks are charged to current, back to when it was switched in: tasks that
 * ran before are no longer known.  The idle task has lost nothing.
 *
 * Context: Hard interrupt, interrupts off, in a section.
 */
void profil_late(struct pt_regs *regs, u64 period, u64 since, u64 due)
{
	u64 arrival = profil_task_arrival(current);
	struct mm_struct *mm = current->mm;
	struct profil_binding *binding;

	if (!arrival)
		return;
	since = max(since, ktime_get_ns() - (local_clock() - arrival));
	hlist_for_each_entry_rcu(binding, profil_tick_chain(mm), node) {
		bool owned = binding->key & PROFIL_KEY_OWNED;

		if (binding->mm == mm && !(binding->key & PROFIL_KEY_EVENT) &&
		    profil_binding_is_current(binding))
			profil_late_profile(binding->profile, owned ? NULL : regs, period, since,
					    due);
	}
}
