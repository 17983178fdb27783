/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ticks in kernel mode that a work item counts: their owner, or their text, is not known.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_ASK_H
#define PROFIL_ASK_H

#include "profile/owned.h"

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct mm_struct;
struct profil_profile;
struct task_struct;

/* Slots of a CPU, those that one payer may use, and the ticks in each. */
#define PROFIL_ASKED		16
#define PROFIL_ASKED_USER	8
#define PROFIL_ASKED_TICKS	8
/* In &profil_asked.ticks: no more ticks may be added. */
#define PROFIL_ASKED_TAKEN	INT_MAX

/**
 * struct profil_asked - ticks of a task whose owner, or whose text, is not known
 * @task: the task, referenced; NULL: free.  Set by ticks of its CPU only
 * @profile: whose ticks they are, referenced
 * @mm: the address space they came in, grabbed; NULL of a kernel thread
 * @payer: profil_payer() of the task
 * @owned: their owner; 0: not known
 * @ticks: how many there are, or PROFIL_ASKED_TAKEN
 * @place: the place in the kernel that each interrupted; with &profil_recording.calls, the PC
 *	that called the kernel, or 0
 *
 * Ticks of the same CPU add to @place and @ticks until the work item has taken them; the rest
 * is constant until it clears @task.
 */
struct profil_asked {
	struct task_struct *task;
	struct profil_profile *profile;
	struct mm_struct *mm;
	unsigned long payer;
	struct profil_owned owned;
	atomic_t ticks;
	u64 place[PROFIL_ASKED_TICKS];
};

DECLARE_PER_CPU(struct profil_asked[PROFIL_ASKED], profil_asked);
/* Its function is in record/unmet.c. */
extern struct irq_work profil_ask_irq;

bool profil_ask(struct profil_profile *profile, struct profil_owned owned, u64 place);

#endif /* PROFIL_ASK_H */
