/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes that NMIs leave for an interrupt of the same CPU.
 *
 * Context: NMI; also hard interrupt
 */
#ifndef PROFIL_NOTE_H
#define PROFIL_NOTE_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct irq_work;
struct profil_source;
struct task_struct;

/**
 * enum profil_where - what was running when an event came
 * @PROFIL_IN_THIS: whatever is running now: the event was not noted
 * @PROFIL_IN_TASK: the task
 * @PROFIL_IN_SOFTIRQ: a softirq
 * @PROFIL_IN_IRQ: an interrupt, other than the event's own
 */
enum profil_where {
	PROFIL_IN_THIS,
	PROFIL_IN_TASK,
	PROFIL_IN_SOFTIRQ,
	PROFIL_IN_IRQ
};

/**
 * struct profil_note - an event in an NMI
 * @source: its source
 * @task: the task that had it; compared, never dereferenced
 * @period: events that it stands for
 * @where: what was running
 * @regs: what it interrupted
 */
struct profil_note {
	struct profil_source *source;
	const struct task_struct *task;
	u64 period;
	enum profil_where where;
	struct pt_regs regs;
};

bool profil_note_write(struct profil_source *source, struct pt_regs *regs, u64 period,
		       enum profil_where where);
unsigned int profil_notes_waiting(void);
struct profil_note *profil_note_first(void);
void profil_note_done(void);
void profil_notes_init(void (*count)(struct irq_work *work));
void profil_notes_settle(void);

#endif /* PROFIL_NOTE_H */
