/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A follower: the part of a session that follows processes.
 *
 * Context: process
 */
#ifndef PROFIL_RECORD_FOLLOWER_H
#define PROFIL_RECORD_FOLLOWER_H

#include "record/watch.h"

#include <linux/types.h>

int profil_follower_init(struct profil_follower *follower);
void profil_follower_exit(struct profil_follower *follower);
void profil_follower_join(struct profil_follower *follower, struct profil_profile *profile);
int profil_follower_prepare(struct profil_follower *follower, bool forks);
void *profil_follower_take(struct profil_follower *follower);
void *profil_follower_spare(struct profil_follower *follower);

#endif /* PROFIL_RECORD_FOLLOWER_H */
