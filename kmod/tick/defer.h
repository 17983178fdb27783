/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ticks whose page is not pinned: they wait until their thread returns to user mode.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_DEFER_H
#define PROFIL_DEFER_H

#include "profile/stats.h"

#include <linux/types.h>

struct profil_deferral;
struct profil_pins;
struct profil_place;
struct profil_profile;

u64 profil_defer_stored(const struct profil_profile *profile, u64 stored);
enum profil_cause profil_defer(struct profil_profile *profile, const struct profil_place *place,
			       u64 ticks);
void profil_defer_return(struct profil_profile *profile, u64 position, u64 nr);
bool profil_defer_runs(const struct profil_deferral *deferral, const struct profil_pins *pins);
void profil_defer_settle(struct profil_deferral *deferral, struct profil_pins *pins,
			 void *page, bool hole);

#endif /* PROFIL_DEFER_H */
