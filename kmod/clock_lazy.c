// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lazy clock: an hrtimer of our own on each CPU, which is armed when
 * somebody who is profiled is switched in, and sleeps when it finds nobody.
 * The shared clock: the same, but content to come with the next interrupt of
 * another timer.
 *
 * It may fire at the points of a grid only: time is cut into cells, each a
 * period long, and in each cell there is one point, where a hash of the cell's
 * beginning and of a secret says.  So whoever runs in a cell's point is ticked,
 * whatever he did before, and when that will be nobody can know: no program runs
 * in step with it, and none can be away whenever it comes.  (The shared clock
 * comes with the first interrupt behind a point, which mostly is the scheduler's
 * tick: it costs next to nothing, and is in step with all that the tick wakes.)
 *
 * All of a CPU's clock but hrtimer_cancel() is touched on that CPU only, with
 * interrupts off: by the timer, by the probe on sched_switch, and by calls.
 */
#include "clock_lazy.h"

#include "clock.h"
#include "compat.h"
#include "image.h"
#include "sample.h"
#include "tracepoint.h"

#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/profil.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <asm/irq_regs.h>
#include <trace/events/sched.h>

/**
 * struct lazy_clock - the clock of one CPU
 * @timer: fires in the point of @cell, if @armed
 * @period: length of a cell, in ns; 0: stopped
 * @cell: where one begins, in ns of CLOCK_MONOTONIC
 * @secret: what nobody knows
 * @armed: is the timer on its way?
 */
struct lazy_clock {
	struct hrtimer timer;
	u64 period;
	u64 cell;
	u64 secret;
	bool armed;
};

static DEFINE_PER_CPU(struct lazy_clock, lazy_clocks);
static struct tracepoint *sched_switch;
/* How long a point may be waited for, in ns: the scheduler's tick comes by then. */
static u64 slack __ro_after_init;

/* Where in its cell the clock may fire; two rounds of multiplying spread all bits. */
static __always_inline u64 point_of_cell(const struct lazy_clock *clock)
{
	u64 hash = (clock->cell ^ clock->secret) * 0x9e3779b97f4a7c15ULL;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
	return clock->cell + mul_u64_u32_shr(clock->period, hash >> 32, 32);
}

/* The first point that is yet to come; @clock->cell is its cell then. */
static u64 point_after(struct lazy_clock *clock, u64 now)
{
	u64 into = now - clock->cell, point;

	if (into >= clock->period) {
		div64_u64_rem(into, clock->period, &into);
		clock->cell = now - into;
	}
	point = point_of_cell(clock);
	if (point > now)
		return point;
	clock->cell += clock->period;
	return point_of_cell(clock);
}

static void arm(struct lazy_clock *clock)
{
	u64 point = point_after(clock, ktime_get_ns());

	clock->armed = true;
	hrtimer_start_range_ns(&clock->timer, ns_to_ktime(point), slack,
			       HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Cells went by without a tick: interrupts were off, or the machine stood still.
 * What is due now is in the first cell that is not over.
 */
static noinline u64 catch_up(struct lazy_clock *clock, u64 now)
{
	u64 missed = clock->cell;
	u64 point = point_after(clock, now);

	profil_late(clock->period, missed - clock->period, clock->cell);
	return point;
}

static enum hrtimer_restart lazy_tick(struct hrtimer *timer)
{
	struct lazy_clock *clock = container_of(timer, struct lazy_clock, timer);
	u64 now, point;

	/* Timers of a CPU that went down would be elsewhere; ours is stopped before. */
	if (unlikely(clock != this_cpu_ptr(&lazy_clocks)))
		return HRTIMER_NORESTART;
	if (unlikely(!profil_tick(get_irq_regs(), clock->period))) {
		clock->armed = false;
		return HRTIMER_NORESTART;
	}
	clock->cell += clock->period;
	point = point_of_cell(clock);
	now = ktime_get_ns();
	if (unlikely(point <= now))
		point = catch_up(clock, now);
	hrtimer_set_expires_range_ns(timer, ns_to_ktime(point), slack);
	return HRTIMER_RESTART;
}

static __always_inline void look_at(const struct mm_struct *mm)
{
	struct lazy_clock *clock = this_cpu_ptr(&lazy_clocks);

	if (!clock->armed && clock->period && profil_image_meets(mm))
		arm(clock);
}

static void probe_switch(void *unused, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	look_at(next->mm);
}

/* Somebody may be profiled since he was switched in. */
static void lazy_look(void *unused)
{
	look_at(current->mm);
}

static void begin_here(void *period)
{
	struct lazy_clock *clock = this_cpu_ptr(&lazy_clocks);

	/* It is not running: so are we, on its CPU. */
	hrtimer_try_to_cancel(&clock->timer);
	clock->armed = false;
	clock->period = *(u64 *)period;
	clock->cell = 0;
	lazy_look(NULL);
}

static int lazy_clock_start(unsigned int cpu, u64 period)
{
	return smp_call_function_single(cpu, begin_here, &period, 1);
}

static void lazy_clock_stop(unsigned int cpu)
{
	u64 never = 0;

	smp_call_function_single(cpu, begin_here, &never, 1);
	hrtimer_cancel(&per_cpu_ptr(&lazy_clocks, cpu)->timer);
}

static int lazy_clock_init(u32 number)
{
	struct lazy_clock *clock;
	unsigned int cpu;

	/* A signature that changes with the kernel is to fail here, in the build. */
	check_trace_callback_type_sched_switch(probe_switch);
	sched_switch = profil_tracepoint_find("sched_switch");
	if (!sched_switch)
		return -ENOENT;
	if (number == PROFIL_CLOCK_SHARED)
		slack = TICK_NSEC;
	for_each_possible_cpu(cpu) {
		clock = per_cpu_ptr(&lazy_clocks, cpu);
		clock->secret = get_random_u64();
		profil_hrtimer_setup(&clock->timer, lazy_tick, CLOCK_MONOTONIC,
				     HRTIMER_MODE_ABS_PINNED_HARD);
	}
	return 0;
}

static int lazy_clock_open(void)
{
	return tracepoint_probe_register(sched_switch, probe_switch, NULL);
}

static void lazy_clock_close(void)
{
	tracepoint_probe_unregister(sched_switch, probe_switch, NULL);
	tracepoint_synchronize_unregister();
}

const struct profil_clock_ops profil_clock_lazy = {
	.init		= lazy_clock_init,
	.open		= lazy_clock_open,
	.close		= lazy_clock_close,
	.start		= lazy_clock_start,
	.set_period	= lazy_clock_start,
	.stop		= lazy_clock_stop,
	.look		= lazy_look,
};
