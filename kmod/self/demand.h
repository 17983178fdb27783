/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Self profiles: pages that are pinned when a tick needs them.
 *
 * Context: process
 */
#ifndef PROFIL_DEMAND_H
#define PROFIL_DEMAND_H

struct profil_profile;

int profil_demand_init(struct profil_profile *profile);

#endif /* PROFIL_DEMAND_H */
