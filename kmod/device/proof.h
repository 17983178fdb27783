/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proof that the caller may record a process: a perf event on it.
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
 * struct profil_proof - a perf event that proves a permission
 * @file: its file, referenced
 * @event: the event
 * @target: the task that it is on; the event keeps it from being freed.  NULL: all tasks
 * @named: the event is system-wide, and @target, which the caller named, is referenced
 */
struct profil_proof {
	struct file *file;
	struct perf_event *event;
	struct task_struct *target;
	bool named;
};

/**
 * enum profil_proof_mode - modes in which a proof must permit sampling
 * @PROFIL_PROOF_USER: in user mode
 * @PROFIL_PROOF_KERNEL: in the kernel
 */
enum profil_proof_mode {
	PROFIL_PROOF_USER	= 1 << 0,
	PROFIL_PROOF_KERNEL	= 1 << 1
};

unsigned int profil_proof_modes(u32 flags, bool kernel);
int profil_proof_open(struct profil_proof *proof, int fd, unsigned int modes, pid_t thread);
int profil_proof_open_everybody(struct profil_proof *proof, int fd, unsigned int modes);
void profil_proof_close(struct profil_proof *proof);
struct mm_struct *profil_proof_enter(struct profil_proof *proof);
void profil_proof_leave(struct profil_proof *proof, struct mm_struct *mm);

#endif /* PROFIL_PROOF_H */
