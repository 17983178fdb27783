/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Following processes: the probes on fork, exec and exit.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_FOLLOW_H
#define PROFIL_FOLLOW_H

#include "profile/binding.h"

struct file;
struct pid;
struct profil_profile;
struct task_struct;

/**
 * struct profil_program - a program, to find its owner
 * @file: the file that was executed; NULL: the one that the parent has executed
 * @name: the command name
 * @parent: the owner that forked or executed it; 0: not known
 * @pid: the thread group that forked it, if there is no @file
 */
struct profil_program {
	struct file *file;
	const char *name;
	struct profil_owned parent;
	const struct pid *pid;
};

struct profil_owned profil_program_owner(const struct profil_profile *profile,
					 const struct profil_program *program,
					 struct task_struct *task);

/* follow.c */
int profil_follow_init(void);
void profil_follow_exit(void);

#endif /* PROFIL_FOLLOW_H */
