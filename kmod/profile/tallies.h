/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for tallies: allocated for several profiles of a user at once.
 *
 * Context: process
 */
#ifndef PROFIL_TALLIES_H
#define PROFIL_TALLIES_H

#include <linux/percpu.h>

struct profil_tallies;
struct profil_tally;
struct profil_user;

struct profil_tally __percpu *profil_tally_alloc(struct profil_user *user,
						 struct profil_tallies **tallies);
void profil_tally_free(struct profil_tallies *tallies, struct profil_tally __percpu *tally);

#endif /* PROFIL_TALLIES_H */
