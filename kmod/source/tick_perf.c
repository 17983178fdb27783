// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ticks that perf delivers: of an event, and of the perf clock.
 *
 * The perf clock's ticks are hard interrupts.  An event may come anywhere: in a system call with
 * interrupts on (page faults), in the scheduler (context switches), in a clock's tick
 * (tracepoints, breakpoints), in an NMI (counters of x86).  So an event's tick turns interrupts
 * off, and is missed if its CPU is in a section.  An NMI only leaves a note (tick/note.c), which
 * an interrupt of the same CPU counts as soon as it can.
 *
 * Context: hard interrupt; an event's tick also NMI and process context
 */
#include "source/source.h"

#include "compat.h"
#include "tick/note.h"
#include "tick/sample.h"

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/preempt.h>

DEFINE_PER_CPU(struct profil_source_cpu, profil_perf_cpu);

/*
 * Count any tick, and leave the section that profil_perf_tick() has entered.
 *
 * If the tick does not come one period after the previous one, ticks are missing (throttle,
 * interrupts off, an idle CPU), or the timer was restarted with a different period.  Missing ticks
 * count as late; this tick stands for the rest of the interval.
 */
static noinline void profil_perf_tick_any(struct pt_regs *regs, u64 period, u64 due)
{
	u64 last = __this_cpu_read(profil_perf_cpu.due);
	u64 gap = last ? due - last : period;

	__this_cpu_write(profil_perf_cpu.due, due);
	if (gap >= 2 * period) {
		profil_late(regs, period, last, due);
		gap -= div64_u64(gap - 1, period) * period;
	}
	profil_tick_any(regs, gap);
	profil_section_leave();
}

/**
 * profil_perf_tick() - overflow handler of the perf clock
 * @event: the clock's event on this CPU
 * @data: unused
 * @regs: the interrupted registers
 *
 * Like profil_lazy_tick(), it calls no function for nearly all ticks.
 *
 * Context: Hard interrupt, interrupts off.
 */
void profil_perf_tick(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	u64 due = ktime_to_ns(hrtimer_get_expires(&event->hw.hrtimer));
	u64 period = event->hw.sample_period;

	profil_section_enter();
	if (unlikely(due - __this_cpu_read(profil_perf_cpu.due) != period ||
		     !profil_tick_alone(regs, period))) {
		profil_perf_tick_any(regs, period, due);
		return;
	}
	__this_cpu_write(profil_perf_cpu.due, due);
	profil_section_leave();
}

static void profil_event_miss(struct profil_source *source)
{
	this_cpu_inc(source->cpu->missed);
}

/* Interrupts are off. */
static void profil_event_count(struct profil_source *source, struct pt_regs *regs, u64 period)
{
	if (profil_section_inside()) {
		profil_event_miss(source);
		return;
	}
	profil_section_enter();
	profil_tick_event(source, regs, period);
	profil_section_leave();
}

static void profil_note_count(struct profil_note *note)
{
	this_cpu_write(profil_event_where, note->where);
	profil_event_count(note->source, &note->regs, note->period);
	this_cpu_write(profil_event_where, PROFIL_IN_THIS);
}

/**
 * profil_event_notes_count() - count the notes of this CPU's NMIs
 * @work: the work of the CPU's notes
 *
 * Counts only the notes that exist at the start: NMIs may write more at any time, and then queue
 * @work again.
 *
 * Context: Hard interrupt.
 */
void profil_event_notes_count(struct irq_work *work)
{
	struct profil_notes *notes = container_of(work, struct profil_notes, work);
	unsigned int written = READ_ONCE(notes->written);
	struct profil_note *note;

	while (notes->done != written) {
		note = &notes->note[notes->done % PROFIL_NOTES];
		if (note->task == current)
			profil_note_count(note);
		else
			profil_event_miss(note->source);
		smp_store_release(&notes->done, notes->done + 1);	/* it may be overwritten */
	}
}

/**
 * profil_event_tick() - overflow handler of an event
 * @event: the event on this CPU
 * @data: unused
 * @regs: the interrupted registers
 *
 * Context: Any.
 */
void profil_event_tick(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	struct profil_source *source = event->overflow_handler_context;
	u64 period = event->hw.sample_period;
	unsigned long flags;

	/* perf has decided that this tick is the event's last one in this jiffy. */
	if (event->hw.interrupts == PROFIL_PERF_THROTTLED)
		this_cpu_inc(source->cpu->throttled);
	/* The event came late, or is a tracepoint, for which perf ignores exclude_user. */
	if (unlikely(source->attr.exclude_user) && user_mode(regs))
		return;
	if (in_nmi()) {
		/* Nothing else is safe: the NMI may have interrupted anything. */
		if (!profil_note_write(source, regs, period, profil_where(profil_nmi_levels(regs))))
			profil_event_miss(source);
		return;
	}
	local_irq_save(flags);
	profil_event_count(source, regs, period);
	local_irq_restore(flags);
}
