/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watch: a process that a session follows.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_WATCH_H
#define PROFIL_WATCH_H

#include "profile/binding.h"
#include "profile/follower.h"
#include "profile/watched.h"

#include <linux/types.h>

struct pid;
struct profil_binding;
struct profil_profile;
struct task_struct;

void profil_watches_init(void);
struct profil_watch *profil_watch_alloc(void);
struct profil_watch *profil_watch_find(const struct profil_bucket *bucket,
				       const struct profil_follower *follower,
				       const struct pid *pid, unsigned int *count);
bool profil_watch_add(struct profil_bucket *bucket, struct profil_watch *watch,
		      struct profil_follower *follower, struct profil_profile *profile,
		      struct pid *pid);
bool profil_watch_charge(const struct profil_profile *profile);
void profil_watch_uncharge(const struct profil_profile *profile);
void profil_watch_end(struct profil_watch *watch);
void profil_watch_exit(struct profil_watch *watch, struct task_struct *task);
int profil_watch_publish(struct profil_binding *binding, struct profil_watch *watch,
			 struct profil_follower *follower, struct task_struct *target);
void profil_watches_remove(struct profil_follower *follower, struct profil_profile *profile);
void profil_watch_unlink(struct profil_watch *watch);
void profil_watch_free(struct profil_watch *watch);

#endif /* PROFIL_WATCH_H */
