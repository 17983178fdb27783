/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a recording begins, and which owner a process has in it.
 *
 * Context: process
 */
#ifndef PROFIL_BEGIN_H
#define PROFIL_BEGIN_H

#include "profile/owned.h"

#include <linux/types.h>

struct mm_struct;
struct pid_namespace;
struct profil_record;
struct profil_recording;
struct profil_profile;
struct profil_spare;
struct profil_start;
struct task_struct;

int profil_recording_check_table(u64 table, u32 nr_counts, struct profil_start *start);
int profil_recording_check(const struct profil_record *record, struct profil_start *start);
struct profil_recording *profil_recording_create(const struct profil_record *record,
						 struct pid_namespace *ns);
u64 profil_recording_life(const struct profil_profile *profile, const struct mm_struct *mm);
void profil_recording_own_task(struct profil_recording *recording, struct task_struct *task,
			       struct mm_struct *mm, struct profil_spare *spare,
			       struct profil_owned *owned);

#endif /* PROFIL_BEGIN_H */
