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
 * @link: among all claims on the same; guarded by the lock of the clock or of the sources, empty
 *	when there is none
 * @source: the event; NULL: the clock.  Constant once the profile is published
 * @period: the longest period that serves the profile, in ns or events
 * @interrupts: each tick is an interrupt of its own, not part of the code that had it; constant
 *	like @source
 */
struct profil_claim {
	struct list_head link;
	struct profil_source *source;
	u64 period;
	bool interrupts;
};

#endif /* PROFIL_CLAIM_H */
