// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of the lazy clock, and what arms it.
 *
 * It fires only at the points of a grid.  Time is cut into cells of one period,
 * and each cell has one point, given by a hash of the cell's start and a secret.
 * The task that runs at that point is sampled.  The point is unpredictable, so a
 * task can neither synchronise with the clock nor hide from it.  (The shared clock
 * fires at the first interrupt after a point, mostly the scheduler's tick: that
 * costs next to nothing, but is in step with everything that the tick wakes.)
 *
 * A CPU's clock is touched on that CPU only, with interrupts off: by the timer,
 * the probe on sched_switch, and inter-processor calls.  Only hrtimer_cancel()
 * is called on another CPU.
 *
 * Context: hard interrupt; also the probe on sched_switch and inter-processor
 * calls, with interrupts off.
 */
#include "tick/tick_lazy.h"

#include "follow/watched.h"
#include "profile/binding.h"
#include "tick/sample.h"
#include "tick/section.h"

#include <linux/cache.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <asm/irq_regs.h>

#define CELLS_PER_SECRET	64

DEFINE_PER_CPU(struct profil_lazy_clock, profil_lazy_clocks);
u64 profil_lazy_slack __ro_after_init;
siphash_key_t profil_lazy_key __ro_after_init;

/* The secret of the current cell and those that follow it in its group. */
static noinline void profil_lazy_renew(struct profil_lazy_clock *clock)
{
	u64 index = div64_u64(clock->cell, clock->period);

	clock->left = CELLS_PER_SECRET - index % CELLS_PER_SECRET;
	clock->secret = siphash_2u64(smp_processor_id(), index / CELLS_PER_SECRET,
				     &profil_lazy_key);
}

/*
 * The point of the current cell; two rounds of multiplication mix all bits.  They are no
 * pseudo-random function, but what they mix in comes from one, and only serves a few cells:
 * who would learn it from the points that they see has no use for it any more.
 */
static __always_inline u64 profil_lazy_point(const struct profil_lazy_clock *clock)
{
	u64 hash = (clock->cell ^ clock->secret) * 0x9e3779b97f4a7c15ULL;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
	return clock->cell + mul_u64_u32_shr(clock->period, hash >> 32, 32);
}

static __always_inline u64 profil_lazy_point_of_next_cell(struct profil_lazy_clock *clock)
{
	clock->cell += clock->period;
	if (unlikely(!--clock->left))
		profil_lazy_renew(clock);
	return profil_lazy_point(clock);
}

/* The first point after @now; moves @clock->cell to its cell. */
static u64 profil_lazy_next_point(struct profil_lazy_clock *clock, u64 now)
{
	u64 into = now - clock->cell, cells, point;

	if (into >= clock->period) {
		cells = div64_u64_rem(into, clock->period, &into);
		clock->cell = now - into;
		if (cells < clock->left)
			clock->left -= cells;
		else
			profil_lazy_renew(clock);
	}
	point = profil_lazy_point(clock);
	return point > now ? point : profil_lazy_point_of_next_cell(clock);
}

static void profil_lazy_arm(struct profil_lazy_clock *clock)
{
	u64 point = profil_lazy_next_point(clock, ktime_get_ns());

	clock->armed = true;
	hrtimer_start_range_ns(&clock->timer, ns_to_ktime(point), profil_lazy_slack,
			       HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Cells passed without a tick: interrupts were off, or the machine was stopped.
 * The next point is in the first cell that is not over.
 */
static noinline u64 profil_lazy_catch_up(struct profil_lazy_clock *clock, u64 now)
{
	u64 missed = clock->cell;
	u64 point = profil_lazy_next_point(clock, now);

	profil_section_enter();
	profil_late(get_irq_regs(), clock->period, missed - clock->period, clock->cell);
	profil_section_leave();
	return point;
}

/**
 * profil_lazy_tick() - the timer of a CPU
 * @timer: of its &struct profil_lazy_clock
 *
 * Context: Hard interrupt, interrupts off.
 * Return: HRTIMER_RESTART, or HRTIMER_NORESTART when current is not profiled.
 */
enum hrtimer_restart profil_lazy_tick(struct hrtimer *timer)
{
	struct profil_lazy_clock *clock = container_of(timer, struct profil_lazy_clock, timer);
	u64 now, point;
	bool again;

	/* Timers of an offlined CPU migrate; ours was stopped before. */
	if (unlikely(clock != this_cpu_ptr(&profil_lazy_clocks)))
		return HRTIMER_NORESTART;
	profil_section_enter();
	again = profil_tick(get_irq_regs(), clock->period);
	profil_section_leave();
	if (unlikely(!again)) {
		clock->armed = false;
		return HRTIMER_NORESTART;
	}
	point = profil_lazy_point_of_next_cell(clock);
	now = ktime_get_ns();
	if (unlikely(point <= now))
		point = profil_lazy_catch_up(clock, now);
	hrtimer_set_expires_range_ns(timer, ns_to_ktime(point), profil_lazy_slack);
	return HRTIMER_RESTART;
}

/* Could it be in a recording though its address space is in none? */
static __always_inline bool profil_lazy_between(const struct task_struct *task)
{
	if (likely(!profil_recordings_exist()))
		return false;
	if (task->in_execve || task->flags & PF_EXITING)
		return true;
	return READ_ONCE(task->mm) ? profil_everybody_exist() :
				     profil_threads_count() && !is_idle_task(task);
}

static __always_inline void profil_lazy_look_at(const struct task_struct *task)
{
	struct profil_lazy_clock *clock = this_cpu_ptr(&profil_lazy_clocks);

	if (!clock->armed && clock->period &&
	    (profil_maybe_bound(task->mm) || profil_lazy_between(task)))
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
	profil_lazy_look_at(next);
}

/**
 * profil_lazy_look() - the running task may be profiled only since it was switched in
 * @unused: private pointer
 *
 * Context: Any with interrupts off: an inter-processor call.
 */
void profil_lazy_look(void *unused)
{
	profil_lazy_look_at(current);
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

	/* Its function is not running: we are, on its CPU. */
	hrtimer_try_to_cancel(&clock->timer);
	clock->armed = false;
	clock->period = *(u64 *)period;
	clock->cell = 0;
	if (clock->period)
		profil_lazy_renew(clock);
	profil_lazy_look(NULL);
}
