/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording knows of an address space: what is mapped where, and which cells its
 * texts have.
 *
 * Context: process
 */
#ifndef PROFIL_SPACE_H
#define PROFIL_SPACE_H

#include "profile/recording.h"

#include <linux/types.h>

struct profil_hit;
struct profil_hits;
struct profil_profile;

struct profil_hits *profil_space_alloc(const struct profil_profile *profile);
bool profil_space_recall(struct profil_hits *hits, const struct profil_identity *text,
			 u32 owner, u32 forgets, struct profil_hit *hit);
void profil_space_learn(struct profil_hits *hits, const struct profil_identity *text, u32 owner,
			u32 forgets, u32 cell, struct profil_hit *hit);

#endif /* PROFIL_SPACE_H */
