/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes that NMIs leave for an interrupt of the same CPU.
 *
 * Context: NMI; also hard interrupt
 */
#ifndef PROFIL_NOTE_H
#define PROFIL_NOTE_H

#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/types.h>

struct profil_source;
struct task_struct;

/**
 * enum profil_where - the context that an event interrupted
 * @PROFIL_IN_THIS: the current context, because the event was not noted
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
 * profil_where() - get the context that a tick has interrupted
 * @levels: interrupt levels that the tick itself adds to hardirq_count()
 *
 * Context: Any.
 * Return: the interrupted context, never PROFIL_IN_THIS.
 */
static __always_inline enum profil_where profil_where(unsigned int levels)
{
	if (hardirq_count() > levels * HARDIRQ_OFFSET)
		return PROFIL_IN_IRQ;
	return in_serving_softirq() ? PROFIL_IN_SOFTIRQ : PROFIL_IN_TASK;
}

/**
 * struct profil_note - an event in an NMI
 * @source: the source of the event
 * @task: the task that had the event; compared, never dereferenced
 * @period: events that the note stands for
 * @where: the interrupted context
 * @regs: the interrupted registers
 */
struct profil_note {
	struct profil_source *source;
	const struct task_struct *task;
	u64 period;
	enum profil_where where;
	struct pt_regs regs;
};

/* The number of NMIs that can be noted while interrupts are off. */
#define PROFIL_NOTES	8

/**
 * struct profil_notes - a CPU's notes
 * @work: has the notes counted
 * @written: number of notes written; changed by NMIs only, which may interrupt each other
 * @done: number of notes counted; written by @work only
 * @note: a ring of the notes
 */
struct profil_notes {
	struct irq_work work;
	unsigned int written;
	unsigned int done;
	struct profil_note note[PROFIL_NOTES];
};

bool profil_note_write(struct profil_source *source, struct pt_regs *regs, u64 period,
		       enum profil_where where);
void profil_notes_init(void (*count)(struct irq_work *work));
void profil_notes_settle(void);

#endif /* PROFIL_NOTE_H */
