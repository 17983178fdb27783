/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moving a recording to another table of counts, between two ticks.
 *
 * Context: process
 */
#ifndef PROFIL_MOVE_H
#define PROFIL_MOVE_H

struct profil_profile;
struct profil_start;

int profil_recording_move(struct profil_profile *profile, const struct profil_start *start);

#endif /* PROFIL_MOVE_H */
