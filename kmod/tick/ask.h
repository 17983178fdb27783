/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ticks of kernel threads that are in no recording yet.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_ASK_H
#define PROFIL_ASK_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct profil_profile;
struct task_struct;

/* Ticks of a CPU that can wait at once. */
#define PROFIL_ASKED	8

/**
 * struct profil_asked - a tick of a kernel thread whose owner is not known
 * @task: the thread, referenced; NULL: free.  Set by ticks of its CPU only
 * @profile: whose tick it is, referenced
 * @place: where in the kernel it came
 *
 * What follows @task is constant until the work item has handled it.
 */
struct profil_asked {
	struct task_struct *task;
	struct profil_profile *profile;
	u64 place;
};

DECLARE_PER_CPU(struct profil_asked[PROFIL_ASKED], profil_asked);
/* Its function is in record/thread.c. */
extern struct irq_work profil_ask_irq;

bool profil_ask_thread(struct profil_profile *profile, u64 place);

#endif /* PROFIL_ASK_H */
