// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of the perf clock.
 *
 * Context: hard interrupt
 */
#include "source/source.h"

#include "tick/sample.h"

#include <linux/ktime.h>
#include <linux/math64.h>

DEFINE_PER_CPU(struct profil_source_cpu, profil_perf_cpu);

/*
 * Any tick.  It leaves the section that profil_perf_tick() has entered.
 *
 * If it does not come one period after the previous one, ticks are missing (throttle, interrupts
 * off, an idle CPU), or the timer was restarted with another period.  Missing ticks count as
 * late; this tick stands for the rest of the interval.
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
 * profil_perf_tick() - perf's overflow handler
 * @event: of this CPU
 * @data: unused
 * @regs: what the tick interrupted
 *
 * Like profil_lazy_tick(), it calls nothing for nearly all ticks.
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
