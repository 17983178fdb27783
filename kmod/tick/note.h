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
 * struct profil_note - an event in an NMI
 * @source: its source
 * @task: which had it; compared, never dereferenced
 * @period: events that it stands for
 * @in_interrupt: it came while that was interrupted
 * @regs: what it interrupted
 */
struct profil_note {
	struct profil_source *source;
	const struct task_struct *task;
	u64 period;
	bool in_interrupt;
	struct pt_regs regs;
};

bool profil_note_write(struct profil_source *source, struct pt_regs *regs, u64 period);
unsigned int profil_notes_waiting(void);
struct profil_note *profil_note_first(void);
void profil_note_done(void);
void profil_notes_init(void (*count)(struct irq_work *work));
void profil_notes_settle(void);

#endif /* PROFIL_NOTE_H */
