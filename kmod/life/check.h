/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recheck of a profile's memory, and its status.
 *
 * Context: process
 */
#ifndef PROFIL_CHECK_H
#define PROFIL_CHECK_H

#include <linux/types.h>

struct profil_profile;
struct profil_status;

void profil_profile_check_later(struct profil_profile *profile);
int profil_profile_check(struct profil_profile *profile);
u64 profil_demand_stored(struct profil_profile *profile);
int profil_profile_status(struct profil_profile *profile, struct profil_status *status);

#endif /* PROFIL_CHECK_H */
