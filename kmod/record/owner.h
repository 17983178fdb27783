/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owners: the programs, processes and interrupts that a recording's ticks count for.
 *
 * Context: any
 */
#ifndef PROFIL_OWNER_H
#define PROFIL_OWNER_H

#include "profile/owned.h"

#include <linux/types.h>

struct file;
struct pid;
struct profil_entry;
struct profil_recording;
struct profil_spare;
struct task_struct;

bool profil_recording_owner(struct profil_recording *recording, struct file *program,
			    const char *name, struct task_struct *task,
			    struct profil_spare *spare, struct profil_owned *owned);
bool profil_recording_own_state(struct profil_recording *recording, u32 state,
				struct profil_spare *spare, struct profil_owned *owned);
bool profil_recording_fork(struct profil_recording *recording, struct task_struct *child,
			   const struct pid *pid, struct profil_spare *spare,
			   struct profil_owned *owned);
void profil_recording_refresh(struct profil_recording *recording, struct profil_entry *owner);
void profil_recording_end_owner(struct profil_recording *recording, struct profil_owned owned,
				const struct pid *pid, struct task_struct *task);
void profil_recording_leave_owner(struct profil_recording *recording, struct profil_owned owned,
				  const struct pid *pid);

#endif /* PROFIL_OWNER_H */
