// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of the lazy clock, and what arms it.
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
 *
 * Context: hard interrupt; the probe on sched_switch and inter-processor calls,
 * which are here as well, have interrupts off too.
 */
#include "tick_lazy.h"

#include "binding.h"
#include "sample.h"

#include <linux/cache.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <asm/irq_regs.h>

DEFINE_PER_CPU(struct profil_lazy_clock, profil_lazy_clocks);
u64 profil_lazy_slack __ro_after_init;

/* Where in its cell the clock may fire; two rounds of multiplying spread all bits. */
static __always_inline u64 profil_lazy_point(const struct profil_lazy_clock *clock)
{
	u64 hash = (clock->cell ^ clock->secret) * 0x9e3779b97f4a7c15ULL;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
	return clock->cell + mul_u64_u32_shr(clock->period, hash >> 32, 32);
}

/* The first point that is yet to come; @clock->cell is its cell then. */
static u64 profil_lazy_next_point(struct profil_lazy_clock *clock, u64 now)
{
	u64 into = now - clock->cell, point;

	if (into >= clock->period) {
		div64_u64_rem(into, clock->period, &into);
		clock->cell = now - into;
	}
	point = profil_lazy_point(clock);
	if (point > now)
		return point;
	clock->cell += clock->period;
	return profil_lazy_point(clock);
}

static void profil_lazy_arm(struct profil_lazy_clock *clock)
{
	u64 point = profil_lazy_next_point(clock, ktime_get_ns());

	clock->armed = true;
	hrtimer_start_range_ns(&clock->timer, ns_to_ktime(point), profil_lazy_slack,
			       HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Cells went by without a tick: interrupts were off, or the machine stood still.
 * What is due now is in the first cell that is not over.
 */
static noinline u64 profil_lazy_catch_up(struct profil_lazy_clock *clock, u64 now)
{
	u64 missed = clock->cell;
	u64 point = profil_lazy_next_point(clock, now);

	profil_late(clock->period, missed - clock->period, clock->cell);
	return point;
}

/**
 * profil_lazy_tick() - the timer of a CPU
 * @timer: of its &struct profil_lazy_clock
 *
 * Context: Hard interrupt, interrupts off.
 * Return: does it go on?
 */
enum hrtimer_restart profil_lazy_tick(struct hrtimer *timer)
{
	struct profil_lazy_clock *clock = container_of(timer, struct profil_lazy_clock, timer);
	u64 now, point;

	/* Timers of a CPU that went down would be elsewhere; ours is stopped before. */
	if (unlikely(clock != this_cpu_ptr(&profil_lazy_clocks)))
		return HRTIMER_NORESTART;
	if (unlikely(!profil_tick(get_irq_regs(), clock->period))) {
		clock->armed = false;
		return HRTIMER_NORESTART;
	}
	clock->cell += clock->period;
	point = profil_lazy_point(clock);
	now = ktime_get_ns();
	if (unlikely(point <= now))
		point = profil_lazy_catch_up(clock, now);
	hrtimer_set_expires_range_ns(timer, ns_to_ktime(point), profil_lazy_slack);
	return HRTIMER_RESTART;
}

static __always_inline void profil_lazy_look_at(const struct mm_struct *mm)
{
	struct profil_lazy_clock *clock = this_cpu_ptr(&profil_lazy_clocks);

	if (!clock->armed && clock->period && profil_maybe_bound(mm))
		profil_lazy_arm(clock);
}

/**
 * profil_lazy_switch() - the probe on sched_switch
 * @unused: private pointer
 * @preempt: unused
 * @prev: unused
 * @next: the task that is switched in
 * @prev_state: unused
 *
 * Context: The scheduler, under the lock of the CPU's run queue.
 */
void profil_lazy_switch(void *unused, bool preempt, struct task_struct *prev,
			struct task_struct *next, unsigned int prev_state)
{
	profil_lazy_look_at(next->mm);
}

/**
 * profil_lazy_look() - somebody may be profiled since he was switched in
 * @unused: private pointer
 *
 * Context: Any with interrupts off: an inter-processor call.
 */
void profil_lazy_look(void *unused)
{
	profil_lazy_look_at(current->mm);
}

/**
 * profil_lazy_begin() - start or stop the clock of this CPU, or give it another period
 * @period: points to a u64, in ns; 0: stop
 *
 * Context: Any with interrupts off: an inter-processor call.
 */
void profil_lazy_begin(void *period)
{
	struct profil_lazy_clock *clock = this_cpu_ptr(&profil_lazy_clocks);

	/* It is not running: so are we, on its CPU. */
	hrtimer_try_to_cancel(&clock->timer);
	clock->armed = false;
	clock->period = *(u64 *)period;
	clock->cell = 0;
	profil_lazy_look(NULL);
}
