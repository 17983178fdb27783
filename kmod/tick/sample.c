// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick: from registers to a counter.
 *
 * It takes no lock, allocates nothing, and touches only memory that cannot fault:
 * the table, the profile, and pinned pages through the kernel's direct map.
 * Bindings and profiles that it reaches stay for a grace period, pins until
 * profil_clock_sync().
 *
 * The counters belong to a program that may change them at any time: a value read
 * there is never trusted, only incremented.
 *
 * Context: hard interrupt, interrupts off, on PREEMPT_RT too
 */
#include "tick/sample.h"

#include "compat.h"
#include "profile/binding.h"
#include "profile/layout.h"
#include "profile/pins.h"
#include "profile/profile.h"
#include "tick/bin.h"
#include "tick/checkpoint.h"
#include "tick/counter.h"

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>

/* CPU time of exiting threads without an mm, in ns: it is in no profile. */
DEFINE_PER_CPU(u64, profil_exiting_ns);

/* The counter at a position, or NULL if its page is off. */
static __always_inline void *profil_counter_at(const struct profil_pins *pins, u64 position)
{
	void *page = profil_page_at(pins, position >> PAGE_SHIFT);

	return profil_page_is_off(page) ? NULL : page + offset_in_page(position);
}

static enum profil_cause profil_count_at(struct profil_profile *profile,
					 const struct profil_pins *pins, u64 position, u32 width)
{
	const struct profil_layout *layout = pins->layout;
	void *counter = profil_counter_at(pins, position);
	enum profil_cause cause;

	if (!counter)
		return PROFIL_OFF;
	if (layout->how.limit_policy == PROFIL_WRAP)
		return profil_counter_wrap(counter, width);
	cause = profil_counter_limit(counter, width, layout->limit[ilog2(width)]);
	if (cause == PROFIL_SATURATED && layout->how.limit_policy == PROFIL_LIMIT_STOP)
		profil_profile_stop(profile, PROFIL_STATE_LIMIT);
	return cause;
}

static enum profil_cause profil_store_pc(struct profil_profile *profile,
					 const struct profil_pins *pins, u64 pc)
{
	const struct profil_layout *layout = pins->layout;
	u64 index = atomic64_fetch_inc(&profile->stored);
	void *element;

	if (layout->pcsample && index + 1 >= layout->how.nr_samples)
		profil_profile_stop(profile, PROFIL_STATE_FULL);
	if (index >= layout->how.nr_samples)
		return layout->pcsample ? PROFIL_OFF : PROFIL_OUTSIDE;
	element = profil_counter_at(pins, layout->samples + index * layout->how.sample_width);
	if (!element)
		return PROFIL_OFF;
	if (layout->how.sample_width == 4)
		WRITE_ONCE(*(u32 *)element, pc);
	else
		WRITE_ONCE(*(u64 *)element, pc);
	return PROFIL_COUNTED;
}

static enum profil_cause profil_count_outside(struct profil_profile *profile,
					      const struct profil_pins *pins, u64 pc)
{
	const struct profil_layout *layout = pins->layout;

	if (layout->how.samples)
		return profil_store_pc(profile, pins, pc);
	if (layout->how.overflow)
		return profil_count_at(profile, pins, layout->overflow, layout->how.overflow_width);
	return PROFIL_OUTSIDE;
}

/* The slow path for one profile: any state, any mode, any region. */
static noinline enum profil_cause profil_sample(struct profil_profile *profile,
						struct pt_regs *regs)
{
	const struct profil_pins *pins;
	const struct profil_bin *bin;
	u64 pc;

	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return PROFIL_OFF;
	if (!user_mode(regs)) {
		if (current->flags & PROFIL_PF_NO_USER_PC)
			return PROFIL_NO_USER_PC;
		if (!(profile->flags & PROFIL_KERNEL_TICKS))
			return PROFIL_KERNEL;
		regs = task_pt_regs(current);
	}
	pins = rcu_dereference_sched(profile->pins);
	if (!pins)
		return PROFIL_OFF;

	pc = instruction_pointer(regs);
	bin = profil_layout_find(pins->layout, pc);
	if (!bin)
		return profil_count_outside(profile, pins, pc);
	if (!bin->width)
		return PROFIL_OUTSIDE;
	return profil_count_at(profile, pins, profil_bin_position(bin, pc), bin->width);
}

/* The clock ticks slower than this profile asked for; a stopped profile is owed nothing. */
static noinline void profil_due_often(const struct profil_profile *profile,
				      struct profil_tally *tally)
{
	bool runs = READ_ONCE(profile->state) == PROFIL_STATE_RUNNING;
	u64 more = div64_u64_rem(tally->credit, profile->period, &tally->credit);

	tally->granted += more;
	tally->cause[runs ? PROFIL_LATE : PROFIL_OFF] += more;
}

/* The clock ticks faster than this profile asked for: is this one of its ticks? */
static noinline bool profil_due_now(const struct profil_profile *profile,
				    struct profil_tally *tally, u64 period)
{
	tally->credit += period;
	if (tally->credit < profile->period)
		return false;
	tally->credit -= profile->period;
	if (unlikely(tally->credit >= profile->period))
		profil_due_often(profile, tally);
	return true;
}

static void profil_tick_profile(struct profil_profile *profile, struct pt_regs *regs, u64 period)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);

	if (profile->period != period && !profil_due_now(profile, tally, period))
		return;
	tally->cause[profil_sample(profile, regs)]++;
	if (!--tally->countdown)
		profil_profile_checkpoint(profile, tally, user_mode(regs));
}

static void profil_tick_gap(struct profil_profile *profile, u64 period)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);

	if (!profil_due_now(profile, tally, period))
		return;
	tally->cause[PROFIL_EXEC]++;
	tally->granted++;
}

/* Without an mm there is no profile: a kernel thread, or an exiting thread. */
static bool profil_tick_exiting(u64 period)
{
	if (current->flags & PF_EXITING)
		this_cpu_add(profil_exiting_ns, period);
	return false;
}

/* @binding is on current's mm.  A per-thread binding also has to match the thread. */
static bool profil_binding_is_current(const struct profil_binding *binding)
{
	return !binding->thread || binding->thread == task_pid(current);
}

/**
 * profil_tick_all() - count one tick of the clock, on the slow path
 * @regs: what it interrupted
 * @period: the time that the tick stands for, in ns
 *
 * For any number of profiles, in any state.
 *
 * Context: Hard interrupt, interrupts off.
 * Return: true if the next tick may have to sample current.
 */
bool profil_tick_all(struct pt_regs *regs, u64 period)
{
	struct mm_struct *mm = current->mm;
	struct profil_binding *binding;

	/* The chain may be empty, or hold other processes' bindings. */
	if (!mm)
		return profil_tick_exiting(period);
	hlist_for_each_entry_rcu(binding, profil_binding_bucket(mm), node) {
		if (binding->mm != mm || !profil_binding_is_current(binding))
			continue;
		if (binding->key & PROFIL_KEY_GAP)
			profil_tick_gap(binding->profile, period);
		else
			profil_tick_profile(binding->profile, regs, period);
	}
	return true;
}

/* Points of the clock's grid that passed without a tick while current ran. */
static void profil_late_profile(struct profil_profile *profile, u64 period, u64 since, u64 due)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);
	u64 lost;

	since = max(since, profile->started);
	if (due <= since)
		return;
	tally->late_credit += div64_u64(due - since - 1, period) * period;
	lost = div64_u64_rem(tally->late_credit, profile->period, &tally->late_credit);
	tally->granted += lost;
	tally->cause[PROFIL_LATE] += lost;
}

/**
 * profil_late() - count ticks that should have come and did not
 * @period: of the clock, in ns
 * @since: since when they are missing, in ns of CLOCK_MONOTONIC
 * @due: when the present tick, which is not one of them, was due
 *
 * Missing ticks are charged to current as far back as current ran: the idle task
 * lost nothing, and what ran before is not known any more.
 *
 * Context: Hard interrupt, interrupts off.
 */
void profil_late(u64 period, u64 since, u64 due)
{
	u64 arrival = profil_task_arrival(current);
	struct mm_struct *mm = current->mm;
	struct profil_binding *binding;

	if (!arrival)
		return;
	since = max(since, ktime_get_ns() - (local_clock() - arrival));
	hlist_for_each_entry_rcu(binding, profil_binding_bucket(mm), node)
		if (binding->mm == mm && profil_binding_is_current(binding))
			profil_late_profile(binding->profile, period, since, due);
}
