/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changing what an attached profile counts, between two ticks.
 *
 * Context: process
 */
#ifndef PROFIL_UPDATE_H
#define PROFIL_UPDATE_H

struct profil_profile;
struct profil_start;
struct profil_update;

int profil_profile_update(struct profil_profile *profile, const struct profil_update *update);
int profil_profile_move_samples(struct profil_profile *profile, const struct profil_start *start);

#endif /* PROFIL_UPDATE_H */
