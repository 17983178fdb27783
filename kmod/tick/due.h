/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which ticks of a source are a profile's.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_DUE_H
#define PROFIL_DUE_H

#include "profile/profile.h"
#include "profile/stats.h"

#include <linux/percpu.h>
#include <linux/types.h>

struct pt_regs;

void profil_owe(struct profil_profile *profile, struct profil_tally *tally, struct pt_regs *regs,
		u64 ticks);
bool profil_due_now(struct profil_profile *profile, struct profil_tally *tally,
		    struct pt_regs *regs, u64 period);

/* Is a tick one of a recording's?  Ticks that the recording is owed are PROFIL_LATE. */
static __always_inline bool profil_tick_due(struct profil_profile *profile, u64 period)
{
	return profile->period == period ||
	       profil_due_now(profile, this_cpu_ptr(profile->tally), NULL, period);
}

/* Count the outcome of a recording's tick; a deferred one counts when its question is answered. */
static __always_inline void profil_tick_recorded(struct profil_profile *profile,
						 enum profil_cause cause)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);

	if (cause == PROFIL_DEFERRED)
		return;
	tally->cause[cause]++;
	tally->granted++;
}

#endif /* PROFIL_DUE_H */
