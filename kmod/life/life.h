/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The life of a profile: its beginning, its upkeep while it runs, and its end.
 *
 * Context: process
 */
#ifndef PROFIL_LIFE_H
#define PROFIL_LIFE_H

#include <linux/types.h>

struct perf_event_attr;
struct profil_pins;
struct profil_profile;
struct profil_status;

void profil_life_init(void);
void profil_life_exit(void);
int profil_profile_begin(struct profil_profile *profile, unsigned int subclass,
			 int (*publish)(struct profil_profile *profile, void *data), void *data);
u64 profil_profile_retire(struct profil_profile *profile, u32 why);
bool profil_profile_retire_shut(struct profil_profile *profile);
struct profil_pins *profil_profile_end(struct profil_profile *profile, u32 why, u64 *stored);
int profil_profile_stop_all(void);
int profil_profile_prepare(struct profil_profile *profile, const struct perf_event_attr *attr);
int profil_profile_status(struct profil_profile *profile, struct profil_status *status);

#endif /* PROFIL_LIFE_H */
