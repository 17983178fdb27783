/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proof that a process may be attached to: a perf event on it.
 *
 * Context: process
 */
#ifndef PROFIL_PROOF_H
#define PROFIL_PROOF_H

#include <linux/types.h>

struct file;
struct mm_struct;
struct perf_event;
struct task_struct;

/**
 * struct profil_proof - a perf event that stands for a permission
 * @file: its file, referenced
 * @event: the event
 * @target: the task it is on, which the event keeps from being freed
 */
struct profil_proof {
	struct file *file;
	struct perf_event *event;
	struct task_struct *target;
};

int profil_proof_open(struct profil_proof *proof, int fd, bool kernel_ticks);
void profil_proof_close(struct profil_proof *proof);
struct mm_struct *profil_proof_enter(struct profil_proof *proof);
void profil_proof_leave(struct profil_proof *proof, struct mm_struct *mm);

#endif /* PROFIL_PROOF_H */
