// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick: from registers to a counter.
 *
 * It takes no lock, allocates nothing, and touches only memory that cannot fault:
 * the table, the profile, and pinned pages through the kernel's direct map.
 * Bindings and profiles that it reaches stay for a grace period, pins until
 * profil_sections_settle().
 *
 * The counters belong to a program that may change them at any time: a value read
 * there is never trusted, only incremented.
 *
 * Context: hard interrupt, interrupts off, on PREEMPT_RT too
 */
#include "tick/sample.h"

#include "compat.h"
#include "profile/recording.h"

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>

DEFINE_PER_CPU(struct profil_memo, profil_memo) = { .mm = (void *)1 };

/*
 * The fast path of a self profile that stores PCs.  Return: PROFIL_NR_CAUSES, with nothing stored,
 * if the slow path has to.
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
 * @regs: what the tick interrupted
 * @period: what the tick stands for, in ns
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
	/* Whatever counts it later also grants it. */
	if (unlikely(cause == PROFIL_DEFERRED))
		tally->granted--;
	else
		tally->cause[cause]++;
	if (!--tally->countdown)
		profil_profile_checkpoint(profile, tally, user_mode(regs));
}

/* @binding is on current's mm.  A per-thread binding also has to match the thread. */
static bool profil_binding_is_current(const struct profil_binding *binding)
{
	return !binding->thread || binding->thread == task_pid(current);
}

/**
 * profil_tick_source() - count one tick, on the slow path
 * @source: what ticks; NULL: the clock
 * @regs: what it interrupted
 * @period: what the tick stands for, in ns or events
 *
 * For any number of profiles, in any state.
 *
 * Context: Interrupts off, in a section.
 * Return: true if the next tick may have to sample current.  Others' bindings in the same bucket
 * do not count: a profile that begins later arms the clock itself.
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
 * @regs: what it interrupted
 * @period: of the clock, in ns; if the tick is irregular, the time it stands for
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

/* Points of the clock's grid that passed without a tick while current ran. */
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
 * @regs: what the present tick interrupted
 * @period: of the clock, in ns
 * @since: since when they are missing, in ns of CLOCK_MONOTONIC
 * @due: when the present tick, which is not one of them, was due
 *
 * Missing ticks are charged to current as far back as current ran: the idle task
 * lost nothing, and what ran before is no longer known.
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
