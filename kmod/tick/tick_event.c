// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of an event.
 *
 * An event may come anywhere: in a system call with interrupts on (page faults), in the
 * scheduler (context switches), in a clock's tick (tracepoints, breakpoints), in an NMI
 * (counters of x86).  So a tick turns interrupts off, and is missed if its CPU is in a
 * section.  An NMI only leaves a note, which an interrupt of the same CPU counts as soon
 * as it can: what an NMI reaches is the note, and nothing else of the module.
 *
 * Context: hard interrupt, NMI; also process context
 */
#include "tick/tick_event.h"

#include "compat.h"
#include "event/source.h"
#include "tick/sample.h"
#include "tick/section.h"

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

/* NMIs that may come before an interrupt does: while they are off. */
#define NOTES	8

/**
 * struct profil_note - an event in an NMI
 * @source: its source
 * @task: which had it; compared, never dereferenced
 * @period: events that it stands for
 * @regs: what it interrupted
 */
struct profil_note {
	struct profil_source *source;
	const struct task_struct *task;
	u64 period;
	struct pt_regs regs;
};

/**
 * struct profil_notes - a CPU's notes
 * @work: counts them
 * @written: how many there were; written by NMIs only
 * @counted: how many of them were counted; written by @work only
 * @note: by number
 */
struct profil_notes {
	struct irq_work work;
	unsigned int written;
	unsigned int counted;
	struct profil_note note[NOTES];
};

static DEFINE_PER_CPU(struct profil_notes, profil_notes);

static void profil_event_miss(struct profil_source *source)
{
	this_cpu_inc(source->lost->missed);
}

/* Interrupts are off. */
static void profil_event_count(struct profil_source *source, struct pt_regs *regs, u64 period)
{
	if (profil_section_inside()) {
		profil_event_miss(source);
		return;
	}
	profil_section_enter();
	profil_tick_source(source, regs, period);
	profil_section_leave();
}

static void profil_notes_count(struct irq_work *work)
{
	struct profil_notes *notes = container_of(work, struct profil_notes, work);
	unsigned int written, at;
	struct profil_note *note;

	written = smp_load_acquire(&notes->written);	/* the note was written before */
	for (at = notes->counted; at != written; at++) {
		note = &notes->note[at % NOTES];
		if (note->task == current)
			profil_event_count(note->source, &note->regs, note->period);
		else
			profil_event_miss(note->source);
		smp_store_release(&notes->counted, at + 1);	/* only now may it be overwritten */
	}
}

static void profil_event_note(struct profil_source *source, struct pt_regs *regs, u64 period)
{
	struct profil_notes *notes = this_cpu_ptr(&profil_notes);
	unsigned int written = notes->written;
	struct profil_note *note = &notes->note[written % NOTES];

	if (written - smp_load_acquire(&notes->counted) == NOTES) {	/* it is read no more */
		profil_event_miss(source);
		return;
	}
	note->source = source;
	note->task = current;
	note->period = period;
	note->regs = *regs;
	smp_store_release(&notes->written, written + 1);	/* see profil_notes_count() */
	irq_work_queue(&notes->work);
}

/**
 * profil_event_tick() - perf's overflow handler
 * @event: of this CPU
 * @data: unused
 * @regs: where the event came
 *
 * Context: Any.
 */
void profil_event_tick(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	struct profil_source *source = event->overflow_handler_context;
	u64 period = event->hw.sample_period;
	unsigned long flags;

	/* Of this tick, perf has decided that it is the last one of its jiffy. */
	if (event->hw.interrupts == PROFIL_PERF_THROTTLED)
		this_cpu_inc(source->lost->throttled);
	if (in_nmi()) {
		profil_event_note(source, regs, period);
		return;
	}
	local_irq_save(flags);
	profil_event_count(source, regs, period);
	local_irq_restore(flags);
}

/**
 * profil_event_tick_init() - tell each CPU what counts its notes
 *
 * Context: Any; before the first event.
 */
void profil_event_tick_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct profil_notes *notes = per_cpu_ptr(&profil_notes, cpu);

		notes->work = IRQ_WORK_INIT_HARD(profil_notes_count);
	}
}

/**
 * profil_event_tick_settle() - wait until each CPU has counted its notes
 *
 * Context: Process context, may sleep.
 */
void profil_event_tick_settle(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&profil_notes, cpu)->work);
}
