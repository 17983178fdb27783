/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Self profiles: pages that are pinned when a tick needs them.
 *
 * Context: process
 */
#ifndef PROFIL_DEMAND_H
#define PROFIL_DEMAND_H

#include <linux/types.h>

struct profil_pins;
struct profil_profile;

int profil_demand_init(struct profil_profile *profile);
void profil_demand_forget_all(struct profil_pins *pins);
int profil_demand_check(struct profil_pins *pins);
void profil_demand_unpublish(struct profil_profile *profile);
u64 profil_demand_stored(struct profil_profile *profile);

#endif /* PROFIL_DEMAND_H */
