// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of the lazy clock, and the code that arms it.
 *
 * The clock fires only at the points of a grid.  The grid cuts time into cells of
 * one period, and each cell has one point, given by a hash of the cell's start and
 * a secret.  The task that runs at that point is sampled.  The point is unpredictable,
 * so a task can neither synchronise with the clock nor hide from it.
 *
 * A CPU's clock is touched on that CPU only, with interrupts off: by the timer,
 * the probe on sched_switch, and inter-processor calls.
 *
 * Context: hard interrupt; also the probe on sched_switch and inter-processor
 * calls, with interrupts off.
 */
#include "source/source.h"

#include "compat.h"
#include "tick/point.h"
#include "tick/sample.h"

#include <linux/ktime.h>
#include <linux/math64.h>
#include <asm/irq_regs.h>

static_assert(PROFIL_CLOCK_MAX >> PROFIL_POINT_SHIFT == 0);

DEFINE_PER_CPU_ALIGNED(struct profil_lazy_clock, profil_lazy_clocks);
siphash_key_t profil_lazy_key __ro_after_init;

/* Compute the secret of the current cell, and of those after it in its group. */
static noinline void profil_lazy_renew(struct profil_lazy_clock *clock)
{
	u64 index = div64_u64(clock->cell, clock->period);

	clock->left = PROFIL_CELLS_PER_SECRET - index % PROFIL_CELLS_PER_SECRET;
	clock->secret = siphash_2u64(smp_processor_id(), index / PROFIL_CELLS_PER_SECRET,
				     &profil_lazy_key);
}

/* The point of the current cell. */
static __always_inline u64 profil_lazy_point(const struct profil_lazy_clock *clock)
{
	return profil_point(clock->cell, clock->period, clock->secret);
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
	hrtimer_start(&clock->timer, ns_to_ktime(point), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Count points that passed without a tick, because interrupts were off, or the machine
 * was stopped.  Return: the next point, which is the first one that has not passed.
 */
static u64 profil_lazy_catch_up(struct profil_lazy_clock *clock, u64 now)
{
	u64 missed = clock->cell;
	u64 point = profil_lazy_next_point(clock, now);

	profil_late(get_irq_regs(), clock->period, missed - clock->period, clock->cell);
	return point;
}

static __always_inline enum hrtimer_restart profil_lazy_again(struct profil_lazy_clock *clock,
							      u64 point)
{
	hrtimer_set_expires(&clock->timer, ns_to_ktime(point));
	return HRTIMER_RESTART;
}

/*
 * Count a tick.  Return: the point of the next one, or 0 if current is not
 * profiled.
 */
static u64 profil_lazy_tick_and_next(struct profil_lazy_clock *clock, bool late)
{
	u64 now, point;

	if (!profil_tick_any(get_irq_regs(), clock->period))
		return 0;
	point = profil_lazy_point_of_next_cell(clock);
	if (likely(!late))
		return point;
	now = ktime_get_ns();
	return point > now ? point : profil_lazy_catch_up(clock, now);
}

/*
 * Count any tick, and leave the section that profil_lazy_tick() has entered.
 *
 * The timer was set to a point without reading the time.  If that point had passed, the kernel
 * runs the timer again in the same interrupt, so such a tick is late, and more points may have
 * passed.  Low-resolution timers run in the scheduler's tick, which the kernel does not count as a
 * timer interrupt, so their ticks always look late.  Only the time tells which are late.
 */
static noinline enum hrtimer_restart profil_lazy_tick_any(struct profil_lazy_clock *clock)
{
	unsigned int interrupt = profil_hrtimer_interrupts(&clock->timer);
	bool again = clock->interrupt == interrupt;
	u64 point;

	clock->interrupt = interrupt;
	if (again && profil_hrtimer_is_precise(&clock->timer))
		point = profil_lazy_catch_up(clock, ktime_get_ns());
	else
		point = profil_lazy_tick_and_next(clock, again);
	profil_section_leave();
	if (!point) {
		clock->armed = false;
		return HRTIMER_NORESTART;
	}
	return profil_lazy_again(clock, point);
}

static noinline enum hrtimer_restart profil_lazy_renew_again(struct profil_lazy_clock *clock)
{
	profil_lazy_renew(clock);
	return profil_lazy_again(clock, profil_lazy_point(clock));
}

/* Leave the section, and set the timer to the next cell's point. */
static __always_inline enum hrtimer_restart profil_lazy_leave(struct profil_lazy_clock *clock)
{
	profil_section_leave();
	clock->cell += clock->period;
	if (unlikely(!--clock->left))
		return profil_lazy_renew_again(clock);
	return profil_lazy_again(clock, profil_lazy_point(clock));
}

/* Count a tick that the fast path cannot count, for the only profile. */
static noinline enum hrtimer_restart
profil_lazy_tick_profile(struct profil_lazy_clock *clock, struct profil_profile *profile)
{
	profil_tick_profile(profile, get_irq_regs(), clock->period);
	return profil_lazy_leave(clock);
}

/* Count a tick for the only profile, which is a recording. */
static noinline enum hrtimer_restart
profil_lazy_tick_recording(struct profil_lazy_clock *clock, struct profil_binding *only)
{
	profil_tick_recording(only, get_irq_regs(), clock->period);
	return profil_lazy_leave(clock);
}

/**
 * profil_lazy_tick() - the function of a CPU's timer
 * @timer: the timer in the CPU's &struct profil_lazy_clock
 *
 * Nearly all ticks are counted here, or are ticks of a single recording.  Any other tick takes
 * another path, before anything has been changed.
 *
 * Context: Hard interrupt, interrupts off, on the timer's CPU: timers of an offlined CPU migrate,
 * but this one was stopped before.
 * Return: HRTIMER_RESTART, or HRTIMER_NORESTART if current is not profiled.
 */
enum hrtimer_restart profil_lazy_tick(struct hrtimer *timer)
{
	struct profil_lazy_clock *clock = container_of(timer, struct profil_lazy_clock, timer);
	unsigned int interrupt = profil_hrtimer_interrupts(timer);
	unsigned long mm = (unsigned long)current->mm;
	struct profil_binding *only;

	profil_section_enter();
	only = profil_tick_only(current->mm);
	if (unlikely(!only || clock->interrupt == interrupt))
		return profil_lazy_tick_any(clock);
	if (only->key == mm) {
		clock->interrupt = interrupt;
		if (likely(profil_tick_fast(only->profile, get_irq_regs(), clock->period)))
			return profil_lazy_leave(clock);
		return profil_lazy_tick_profile(clock, only->profile);
	}
	if (likely(only->key == (mm | PROFIL_KEY_OWNED))) {
		clock->interrupt = interrupt;
		return profil_lazy_tick_recording(clock, only);
	}
	return profil_lazy_tick_any(clock);
}

/* Return: true if a task may be in a recording although its address space is in none. */
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
 * profil_lazy_look() - arm the clock if the running task is profiled by now
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

	/* The timer's function is not running: this runs on its CPU, with interrupts off. */
	hrtimer_try_to_cancel(&clock->timer);
	clock->armed = false;
	WRITE_ONCE(clock->period, *(u64 *)period);
	clock->cell = 0;
	if (clock->period)
		profil_lazy_renew(clock);
	profil_lazy_look(NULL);
}
