// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which ticks of a source are a profile's: the source may tick more often than the profile
 * asked for, or less often, or late.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/sample.h"

#include <linux/math64.h>

/*
 * An interrupt must not count for long.  Ticks that go to one counter are one addition, so this
 * limits arrays of PCs alone.
 */
#define OWED_TURNS	1024

/**
 * profil_owe() - count ticks that did not come
 * @profile: whose they are; if it is stopped, they are PROFIL_OFF
 * @tally: its tally of this CPU
 * @regs: where the program is now; with PROFIL_OWED_TICKS, the ticks count there.  NULL: they
 *	are PROFIL_LATE
 * @ticks: how many
 *
 * Context: Interrupts off, in a section.
 */
noinline void profil_owe(struct profil_profile *profile, struct profil_tally *tally,
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

/* The clock ticks slower than this profile asked for. */
static noinline void profil_due_often(struct profil_profile *profile, struct profil_tally *tally,
				      struct pt_regs *regs)
{
	u64 more = div64_u64_rem(tally->credit, profile->period, &tally->credit);

	profil_owe(profile, tally, regs, more);
}

/**
 * profil_due_now() - is a tick of another period one of a profile's?
 * @profile: it asked for more of them, or fewer
 * @tally: its tally of this CPU
 * @regs: what the tick interrupted; NULL: ticks that it is owed are PROFIL_LATE
 * @period: what the tick stands for, in ns or events
 *
 * Context: Interrupts off, in a section.
 * Return: true if it is.
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
