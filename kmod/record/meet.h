/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a process gets into a system-wide recording.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_MEET_H
#define PROFIL_MEET_H

#include "profile/owned.h"

#include <linux/types.h>

struct mm_struct;
struct pid;
struct profil_bucket;
struct profil_profile;
struct profil_watch;
struct task_struct;

struct profil_watch *profil_meet_process(struct profil_bucket *bucket,
					 struct profil_profile *profile, struct pid *pid,
					 struct profil_owned owned, struct profil_watch *watch);
struct profil_owned profil_meet_task(struct profil_profile *profile, struct task_struct *task,
				     struct mm_struct *mm, unsigned long payer);
void *profil_meet_alloc(const struct profil_profile *profile, size_t bytes);
void profil_meet_space(struct profil_profile *profile, struct mm_struct *mm,
		       struct profil_owned owned);

#endif /* PROFIL_MEET_H */
