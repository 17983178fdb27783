// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock that rests on perf: a cpu-clock event on each CPU, which is an
 * hrtimer that hands over the interrupted registers.
 *
 * exclude_idle, because idle ticks would count towards perf's throttle.  The
 * handler never disables its event (6.16 and 6.17 deadlock there).
 */
#include "clock_perf.h"

#include "clock.h"
#include "sample.h"

#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

/**
 * struct perf_clock - the clock of one CPU
 * @event: the event; changed under the clock's lock
 * @last: when the tick before was due, in ns of CLOCK_MONOTONIC; 0: there was
 *	none.  Used by the tick alone.
 */
struct perf_clock {
	struct perf_event *event;
	u64 last;
};

static DEFINE_PER_CPU(struct perf_clock, perf_clocks);

/*
 * The tick does not come one period after the one before: ticks are missing
 * (throttle, interrupts off, a CPU that was idle), or the timer was restarted
 * (another period).  What is missing is late; the rest of the interval is what
 * this tick stands for.
 */
static noinline void irregular_tick(struct pt_regs *regs, u64 period, u64 due)
{
	u64 last = __this_cpu_read(perf_clocks.last);
	u64 gap = due - last;

	__this_cpu_write(perf_clocks.last, due);
	if (!last)
		gap = period;
	if (gap >= 2 * period) {
		profil_late(period, last, due);
		gap -= div64_u64(gap - 1, period) * period;
	}
	profil_tick_all(regs, gap);
}

static void perf_tick(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	u64 due = ktime_to_ns(hrtimer_get_expires(&event->hw.hrtimer));
	u64 period = event->hw.sample_period;

	if (unlikely(due - __this_cpu_read(perf_clocks.last) != period))
		return irregular_tick(regs, period, due);
	__this_cpu_write(perf_clocks.last, due);
	profil_tick(regs, period);
}

static int perf_clock_start(unsigned int cpu, u64 period)
{
	struct perf_clock *clock = per_cpu_ptr(&perf_clocks, cpu);
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.size		= sizeof(attr),
		.sample_period	= period,
		.pinned		= 1,
		.exclude_idle	= 1,
		.exclude_hv	= 1,
	};
	struct perf_event *event;

	clock->last = 0;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, perf_tick, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	clock->event = event;
	return 0;
}

static int perf_clock_set_period(unsigned int cpu, u64 period)
{
	return perf_event_period(per_cpu_ptr(&perf_clocks, cpu)->event, period);
}

static void perf_clock_stop(unsigned int cpu)
{
	struct perf_clock *clock = per_cpu_ptr(&perf_clocks, cpu);

	perf_event_release_kernel(clock->event);
	clock->event = NULL;
}

const struct profil_clock_ops profil_clock_perf = {
	.start		= perf_clock_start,
	.set_period	= perf_clock_set_period,
	.stop		= perf_clock_stop,
};
