/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile's claim on what ticks for it: the clock, or an event.
 *
 * Context: any
 */
#ifndef PROFIL_CLAIM_H
#define PROFIL_CLAIM_H

#include <linux/list.h>
#include <linux/types.h>

struct profil_source;

/**
 * struct profil_claim - a profile's claim on what ticks for it
 * @source: the event; NULL: the clock.  Constant once the profile is published
 * @period: the longest period that serves the profile, in ns or events
 * @interrupts: each tick is an interrupt of its own; other events tick in the code that causes
 *	them.  Constant like @source
 * @put: gives the claim up, and may be called again; NULL: there never was a claim
 * @link: in the list of claims on the same clock or event, guarded by the lock of the clock or of
 *	the sources; empty once the claim is given up
 */
struct profil_claim {
	struct profil_source *source;
	u64 period;
	bool interrupts;
	void (*put)(struct profil_claim *claim);
	struct list_head link;
};

/**
 * profil_claim_put() - give up a claim
 * @claim: a profile's; no effect if there never was one, or it is given up
 *
 * Context: Process context, may sleep.
 */
static inline void profil_claim_put(struct profil_claim *claim)
{
	if (claim->put)
		claim->put(claim);
}

#endif /* PROFIL_CLAIM_H */
