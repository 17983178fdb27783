/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick of a recording: which text is at the PC, and its element of the table.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_TICK_RECORD_H
#define PROFIL_TICK_RECORD_H

#include "profile/owned.h"
#include "profile/stats.h"
#include "tick/note.h"

#include <linux/percpu.h>
#include <linux/seqlock.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct mm_struct;
struct profil_binding;
struct profil_pins;
struct profil_profile;
struct profil_recording;
struct pt_regs;
struct task_struct;

/* A hit is part of a mapping, within an aligned range of this size, which selects its set. */
#define PROFIL_HIT_SHIFT	20
#define PROFIL_HIT_SETS		16
#define PROFIL_HIT_WAYS		4
/* How many ticks of a CPU can wait until their tasks return to user mode; how many of one user. */
#define PROFIL_QUESTIONS	16
#define PROFIL_QUESTIONS_USER	8

/**
 * struct profil_hit - a part of a mapping, in which there was a tick
 * @low: its first address
 * @span: its bytes; 0: not in use
 * @key: of @low in the table of counts
 * @until: when to check again whether the file was overwritten, in jiffies
 * @mappings: the value of profil_mm_mappings() for which the hit is valid
 */
struct profil_hit {
	unsigned long low;
	u32 span;
	u32 mappings;
	u64 key;
	unsigned long until;
};

/**
 * struct profil_hits - where the texts of an address space are
 * @lock: guards all members against other writers; taken with interrupts off
 * @seq: odd during a change, as ticks take no lock
 * @next: which way of each set to use next
 * @hit: by address
 */
struct profil_hits {
	raw_spinlock_t lock;	/* see the kernel-doc above */
	seqcount_t seq;
	u8 next[PROFIL_HIT_SETS];
	struct profil_hit hit[PROFIL_HIT_SETS][PROFIL_HIT_WAYS];
};

/**
 * struct profil_question - a tick whose text is not known yet
 * @work: finds out, on the task's way to user mode; its function is set by resolve.c
 * @task: the task that had the tick; NULL: free.  Set by ticks of its CPU only
 * @profile: whose tick it is, referenced
 * @mm: the address space it ran in: it may execute another program before @work runs
 * @pc: where
 * @payer: profil_payer() of the task
 * @owned: whose; 0: not known yet either
 *
 * Those of &profil_questions are of ticks in user mode: only @task changes what follows @task.
 * The work item that answers ticks in kernel mode makes its own.
 */
struct profil_question {
	struct callback_head work;
	struct task_struct *task;
	struct profil_profile *profile;
	struct mm_struct *mm;
	u64 pc;
	unsigned long payer;
	struct profil_owned owned;
};

DECLARE_PER_CPU(enum profil_where, profil_event_where);
DECLARE_PER_CPU(struct profil_question[PROFIL_QUESTIONS], profil_questions);

/* The number of a PC's set. */
static inline unsigned int profil_hit_set(unsigned long pc)
{
	return (pc >> PROFIL_HIT_SHIFT) % PROFIL_HIT_SETS;
}

enum profil_cause profil_record_add(const struct profil_profile *profile,
				    struct profil_owned owned, struct task_struct *task, u64 key);
u64 profil_record_place(struct profil_recording *recording, struct pt_regs *regs);
enum profil_cause profil_record_add_kernel(const struct profil_profile *profile,
					   struct profil_owned owned, struct task_struct *task,
					   u64 place);
enum profil_cause profil_record_kernel(const struct profil_profile *profile,
				       struct profil_owned owned, struct pt_regs *regs);
enum profil_cause profil_record_sample(const struct profil_binding *binding, struct pt_regs *regs);
enum profil_cause profil_record_unmet(struct profil_profile *profile, struct pt_regs *regs);

#endif /* PROFIL_TICK_RECORD_H */
