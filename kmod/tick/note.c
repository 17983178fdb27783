// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes that NMIs leave for an interrupt of the same CPU.
 *
 * An NMI may interrupt anything, even the holder of a lock.  So it only writes a note that
 * nothing reads yet, and raises an interrupt.
 *
 * Context: NMI; also hard interrupt
 */
#include "tick/note.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>

static DEFINE_PER_CPU(struct profil_notes, profil_notes);

/**
 * profil_note_write() - leave a note
 * @source: the source of the event
 * @regs: the interrupted registers
 * @period: events that the note stands for
 * @where: the interrupted context
 *
 * Context: NMI.
 * Return: false if there is no room.
 */
bool profil_note_write(struct profil_source *source, struct pt_regs *regs, u64 period,
		       enum profil_where where)
{
	struct profil_notes *notes = this_cpu_ptr(&profil_notes);
	struct profil_note *note;
	unsigned int written;

	/* A debug exception counts as an NMI, and an NMI may nest in it: claim the place first. */
	do {
		written = READ_ONCE(notes->written);
		/* Pairs with profil_event_notes_count(), which has read the older note. */
		if (written - smp_load_acquire(&notes->done) == PROFIL_NOTES)
			return false;
	} while (cmpxchg_local(&notes->written, written, written + 1) != written);
	note = &notes->note[written % PROFIL_NOTES];
	note->source = source;
	note->task = current;
	note->period = period;
	note->where = where;
	note->regs = *regs;
	irq_work_queue(&notes->work);
	return true;
}

/**
 * profil_notes_init() - set the function that counts the notes of each CPU
 * @count: the function, which is called in a hard interrupt, also on PREEMPT_RT
 *
 * Context: Process context; before the first event.
 */
void profil_notes_init(void (*count)(struct irq_work *work))
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(&profil_notes, cpu)->work = IRQ_WORK_INIT_HARD(count);
}

/**
 * profil_notes_settle() - wait until each CPU has counted its notes
 *
 * Context: Process context, may sleep.
 */
void profil_notes_settle(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&profil_notes, cpu)->work);
}
