/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Self profiles: a process profiles itself, and its children inherit the profile.
 *
 * Context: process
 */
#ifndef PROFIL_SELF_H
#define PROFIL_SELF_H

struct profil_profile;
struct profil_start;
struct profil_status;
struct profil_stop;
struct task_struct;

/* self.c */
int profil_self_start(struct profil_start *start);
int profil_self_stop(struct profil_stop *stop);
int profil_self_status(struct profil_status *status);
void profil_self_fork(struct profil_profile *profile, struct task_struct *child);

/* demand.c */
int profil_demand_init(struct profil_profile *profile);

#endif /* PROFIL_SELF_H */
