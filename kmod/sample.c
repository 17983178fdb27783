// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick: from registers to a counter.
 *
 * Everything here runs in hard interrupt context, with interrupts off, on
 * PREEMPT_RT too.  It takes no lock, allocates nothing, and touches only memory
 * that cannot fault: the table, the profile, and pinned pages through the
 * kernel's own mapping.  What it reaches stays until a grace period
 * (images, profiles) or profil_sync_ticks() (pins) has passed.
 *
 * The counters belong to a program that may do anything to them at any time:
 * nothing that is read there is believed beyond the value that is incremented.
 */
#include "sample.h"

#include "bin.h"
#include "compat.h"
#include "image.h"
#include "layout.h"
#include "pages.h"
#include "profile.h"

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "counter.h"

/* The counter at a position, or NULL when its page went away. */
static __always_inline void *counter_at(const struct profil_pins *pins, u64 position)
{
	void *page = READ_ONCE(pins->page[position >> PAGE_SHIFT]);

	return page ? page + offset_in_page(position) : NULL;
}

static __always_inline enum profil_cause
count_at(struct profil_profile *profile, const struct profil_pins *pins, u64 position, u32 width)
{
	const struct profil_layout *layout = pins->layout;
	void *counter = counter_at(pins, position);
	enum profil_cause cause;

	if (unlikely(!counter))
		return PROFIL_OFF;
	if (layout->how.limit_policy == PROFIL_WRAP)
		return profil_counter_wrap(counter, width);
	cause = profil_counter_limit(counter, width, layout->limit[ilog2(width)]);
	if (cause == PROFIL_SATURATED && layout->how.limit_policy == PROFIL_LIMIT_STOP)
		profil_profile_stop(profile, PROFIL_STATE_LIMIT);
	return cause;
}

static enum profil_cause store_pc(struct profil_profile *profile, const struct profil_pins *pins,
				  u64 pc)
{
	const struct profil_layout *layout = pins->layout;
	u64 index = atomic64_fetch_inc(&profile->stored);
	void *element;

	if (index >= layout->how.nr_samples) {
		if (layout->pcsample)
			profil_profile_stop(profile, PROFIL_STATE_FULL);
		return layout->pcsample ? PROFIL_OFF : PROFIL_OUTSIDE;
	}
	element = counter_at(pins, layout->samples + index * layout->how.sample_width);
	if (!element)
		return PROFIL_OFF;
	if (layout->how.sample_width == 4)
		WRITE_ONCE(*(u32 *)element, pc);
	else
		WRITE_ONCE(*(u64 *)element, pc);
	return PROFIL_COUNTED;
}

static noinline enum profil_cause count_outside(struct profil_profile *profile,
						const struct profil_pins *pins, u64 pc)
{
	const struct profil_layout *layout = pins->layout;

	if (layout->how.samples)
		return store_pc(profile, pins, pc);
	if (layout->how.overflow)
		return count_at(profile, pins, layout->overflow, layout->how.overflow_width);
	return PROFIL_OUTSIDE;
}

static __always_inline enum profil_cause
sample(struct profil_profile *profile, struct pt_regs *regs)
{
	const struct profil_pins *pins;
	const struct profil_region *region;
	u64 pc;

	if (unlikely(READ_ONCE(profile->state) != PROFIL_STATE_RUNNING))
		return PROFIL_OFF;
	if (!user_mode(regs)) {
		if (current->flags & PROFIL_PF_NO_USER_PC)
			return PROFIL_NO_USER_PC;
		if (!(profile->flags & PROFIL_KERNEL_TICKS))
			return PROFIL_KERNEL;
		regs = task_pt_regs(current);
	}
	pins = rcu_dereference_sched(profile->pins);
	if (unlikely(!pins))
		return PROFIL_OFF;

	pc = instruction_pointer(regs);
	region = profil_layout_find(pins->layout, pc);
	if (unlikely(!region))
		return count_outside(profile, pins, pc);
	if (unlikely(!region->bytes))
		return PROFIL_OUTSIDE;
	return count_at(profile, pins,
			region->buffer + profil_bin_index(region, pc) * region->width,
			region->width);
}

/* Points of the clock's grid at which nothing came, while current ran. */
static noinline void count_late(struct profil_profile *profile, struct profil_tally *tally,
				u64 period, u64 since, u64 due)
{
	u64 lost;

	since = max(since, profile->started);
	if (due <= since)
		return;
	tally->late_credit += div64_u64(due - since - 1, period) * period;
	lost = div64_u64_rem(tally->late_credit, profile->period, &tally->late_credit);
	tally->ticks += lost;
	tally->cause[PROFIL_LATE] += lost;
}

static __always_inline void tick_image(const struct profil_image *image, struct pt_regs *regs,
				       u64 period, u64 since, u64 due)
{
	struct profil_profile *profile = image->profile;
	struct profil_tally *tally = this_cpu_ptr(profile->tally);

	if (unlikely(since != due))
		count_late(profile, tally, period, since, due);
	tally->credit += period;
	if (tally->credit < profile->period)
		return;
	tally->credit -= profile->period;
	tally->ticks++;
	tally->cause[unlikely(image->gap) ? PROFIL_EXEC : sample(profile, regs)]++;
	if (unlikely(time_after_eq(jiffies, READ_ONCE(profile->next_check))) && !profile->session)
		profil_profile_queue_check(profile);
}

/**
 * profil_tick() - count one tick of the clock
 * @regs: what it interrupted
 * @period: of the clock, in ns
 * @since: from when on ticks that should have come did not, while the present
 *	task ran, in ns of CLOCK_MONOTONIC; @due if none is missing
 * @due: when this tick was due
 *
 * Context: Hard interrupt, interrupts off.
 */
void profil_tick(struct pt_regs *regs, u64 period, u64 since, u64 due)
{
	struct mm_struct *mm = current->mm;
	struct profil_image *image;

	if (!mm)
		return;
	hlist_for_each_entry_rcu(image, profil_image_bucket(mm), node)
		if (image->mm == mm)
			tick_image(image, regs, period, since, due);
}
