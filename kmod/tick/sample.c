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
#include "follow/watched.h"
#include "profile/binding.h"
#include "profile/deferral.h"
#include "profile/layout.h"
#include "profile/pins.h"
#include "profile/profile.h"
#include "record/everybody.h"
#include "record/recording.h"
#include "tick/bin.h"
#include "tick/checkpoint.h"
#include "tick/count.h"
#include "tick/defer.h"
#include "tick/record.h"
#include "tick/window.h"

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>

/* An interrupt must not count for long. */
#define OWED_AT_ONCE	64

DEFINE_PER_CPU(struct profil_memo, profil_memo) = { .mm = (void *)1 };

/* CPU time of exiting threads without an mm, in ns: it is in no profile. */
DEFINE_PER_CPU(u64, profil_exiting_ns);

static enum profil_cause profil_count_at(struct profil_profile *profile,
					 const struct profil_pins *pins,
					 const struct profil_place *place)
{
	void *page = profil_page_at(pins, place->position >> PAGE_SHIFT), *at;

	if (unlikely(pins->holes) && test_bit(place->region, pins->holes))
		return PROFIL_OFF;
	if (unlikely(profil_page_is_off(page)))
		return profile->demand ? profil_defer(profile, place) : PROFIL_OFF;
	profil_window();
	at = page + offset_in_page(place->position);
	return place->width ? profil_count_in(profile, pins, at, place->width) :
			      profil_count_store(pins, at, place->pc);
}

static enum profil_cause profil_store_pc(struct profil_profile *profile,
					 const struct profil_pins *pins, u64 pc, bool user)
{
	const struct profil_layout *layout = pins->layout;
	u64 index = atomic64_fetch_inc(&profile->stored);
	struct profil_place place = { .pc = pc, .region = layout->nr_bins, .user = user };
	enum profil_cause cause;

	if (layout->pcsample && index + 1 >= layout->how.nr_samples)
		profil_profile_stop(profile, PROFIL_STATE_FULL);
	if (index >= layout->how.nr_samples)
		return layout->pcsample ? PROFIL_OFF : PROFIL_OUTSIDE;
	place.position = layout->samples + index * layout->how.sample_width;
	cause = profil_count_at(profile, pins, &place);
	if (profile->demand && cause != PROFIL_COUNTED && cause != PROFIL_DEFERRED)
		profil_defer_return(profile, place.position, 1);
	return cause;
}

static enum profil_cause profil_count_outside(struct profil_profile *profile,
					      const struct profil_pins *pins, u64 pc, bool user)
{
	const struct profil_layout *layout = pins->layout;
	struct profil_place place = {
		.position = layout->overflow,
		.region = layout->nr_bins,
		.width = layout->how.overflow_width,
		.user = user,
	};

	if (layout->how.samples)
		return profil_store_pc(profile, pins, pc, user);
	return layout->how.overflow ? profil_count_at(profile, pins, &place) : PROFIL_OUTSIDE;
}

/* The slow path for one profile: any state, any mode, any region. */
static noinline enum profil_cause profil_sample(struct profil_profile *profile,
						struct pt_regs *regs)
{
	const struct profil_pins *pins;
	const struct profil_bin *bin;
	bool user = user_mode(regs);
	struct profil_place place;
	u64 pc;

	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return PROFIL_OFF;
	if (!user) {
		if (current->flags & PROFIL_PF_NO_USER_PC)
			return PROFIL_NO_USER_PC;
		if (!(profile->flags & PROFIL_KERNEL_TICKS))
			return PROFIL_KERNEL;
		regs = task_pt_regs(current);
	}
	pins = rcu_dereference_sched(profile->pins);
	if (!pins)
		return PROFIL_OFF;
	if (unlikely(!profil_pins_open(pins))) {
		profil_profile_stop(profile, PROFIL_STATE_STOPPED);
		return PROFIL_OFF;
	}

	pc = instruction_pointer(regs);
	bin = profil_layout_find(pins->layout, pc);
	if (!bin)
		return profil_count_outside(profile, pins, pc, user);
	if (!bin->width)
		return PROFIL_OUTSIDE;
	place = (struct profil_place) {
		.position = profil_bin_position(bin, pc),
		.region = bin - pins->layout->bin,
		.width = bin->width,
		.user = user,
	};
	return profil_count_at(profile, pins, &place);
}

/*
 * Ticks that did not come.  With PROFIL_OWED_TICKS they count where the program is
 * now, @regs; NULL: its PC is of another program.  A stopped profile is owed nothing.
 */
static noinline void profil_owe(struct profil_profile *profile, struct profil_tally *tally,
				struct pt_regs *regs, u64 ticks)
{
	bool runs = READ_ONCE(profile->state) == PROFIL_STATE_RUNNING;
	bool counts = runs && regs && profile->flags & PROFIL_OWED_TICKS;
	u64 now = counts ? min_t(u64, ticks, OWED_AT_ONCE) : 0;
	enum profil_cause cause;

	tally->granted += ticks;
	tally->cause[runs ? PROFIL_LATE : PROFIL_OFF] += ticks - now;
	for (; now; now--) {
		cause = profil_sample(profile, regs);
		if (cause == PROFIL_DEFERRED)
			tally->granted--;
		else
			tally->cause[cause]++;
	}
}

/* The clock ticks slower than this profile asked for. */
static noinline void profil_due_often(struct profil_profile *profile, struct profil_tally *tally,
				      struct pt_regs *regs)
{
	u64 more = div64_u64_rem(tally->credit, profile->period, &tally->credit);

	profil_owe(profile, tally, regs, more);
}

/* The clock ticks faster than this profile asked for: is this one of its ticks? */
static noinline bool profil_due_now(struct profil_profile *profile, struct profil_tally *tally,
				    struct pt_regs *regs, u64 period)
{
	tally->credit += period;
	if (tally->credit < profile->period)
		return false;
	tally->credit -= profile->period;
	if (unlikely(tally->credit >= profile->period))
		profil_due_often(profile, tally, regs);
	return true;
}

static void profil_tick_profile(struct profil_profile *profile, struct pt_regs *regs, u64 period)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);
	enum profil_cause cause;

	if (profile->period != period && !profil_due_now(profile, tally, regs, period))
		return;
	cause = profil_sample_plain(profile, regs) ? PROFIL_COUNTED : profil_sample(profile, regs);
	/* What counts it later grants it, too. */
	if (unlikely(cause == PROFIL_DEFERRED))
		tally->granted--;
	else
		tally->cause[cause]++;
	if (!--tally->countdown)
		profil_profile_checkpoint(profile, tally, user_mode(regs));
}

static void profil_tick_gap(struct profil_profile *profile, u64 period)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);

	if (!profil_due_now(profile, tally, NULL, period))
		return;
	tally->cause[PROFIL_EXEC]++;
	tally->granted++;
}

/* Is a tick of a recording due?  Its questions count for it when they are answered. */
static bool profil_tick_due(struct profil_profile *profile, u64 period)
{
	return profile->period == period ||
	       profil_due_now(profile, this_cpu_ptr(profile->tally), NULL, period);
}

static void profil_tick_recorded(struct profil_profile *profile, enum profil_cause cause)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);

	if (cause == PROFIL_DEFERRED)
		return;
	tally->cause[cause]++;
	tally->granted++;
}

/* Recordings of everybody that count current's ticks, but have no binding for it. */
static bool profil_tick_unmet(const struct profil_source *source, u32 met, struct pt_regs *regs,
			      u64 period)
{
	struct profil_profile *profile;
	bool any = false;

	while ((profile = profil_everybody_next(&met))) {
		if (profile->event.source != source)
			continue;
		any = true;
		if (profil_tick_due(profile, period))
			profil_tick_recorded(profile, profil_record_unmet(profile, regs));
	}
	return any;
}

/* A kernel thread, or a task that does not have memory yet. */
static bool profil_tick_thread(const struct profil_source *source, struct pt_regs *regs,
			       u64 period)
{
	struct profil_profile *profile;
	bool any = false;
	u32 met = 0;

	if (!profil_threads_count() || is_idle_task(current))
		return false;
	while ((profile = profil_everybody_next(&met))) {
		if (!profile->recording->kernel || profile->event.source != source)
			continue;
		any = true;
		if (profil_tick_due(profile, period))
			profil_tick_recorded(profile, profil_record_unmet(profile, regs));
	}
	return any;
}

/*
 * No binding: an exiting thread, which has given up its address space; a
 * program that is being executed in one that the exec probe has not seen yet.  Recordings
 * know their processes, so they count these ticks, too.
 */
static bool profil_tick_unbound(const struct profil_source *source, struct pt_regs *regs,
				u64 period)
{
	struct pid *pid = task_tgid(current);
	struct profil_profile *profile;
	struct profil_watch *watch;
	struct profil_owned owned;
	bool known = false;
	u32 met = 0;

	if (!(current->flags & PF_EXITING) && !current->in_execve)
		return profil_tick_thread(source, regs, period);
	if (pid && profil_recordings_exist()) {
		hlist_for_each_entry_rcu(watch, &profil_watch_bucket(pid)->chain, node) {
			profile = READ_ONCE(watch->profile);
			owned = profil_owned_read(&watch->owned);
			if (watch->pid != pid || !owned.owner || profile->event.source != source)
				continue;
			met |= profil_everybody_bit(profile);
			known = true;
			if (profil_tick_due(profile, period))
				profil_tick_recorded(profile,
						     profil_record_kernel(profile, owned, regs));
		}
		known |= profil_tick_unmet(source, met, regs, period);
	}
	if (!known && !current->mm && !source)
		this_cpu_add(profil_exiting_ns, period);
	return known;
}

/* @binding is on current's mm.  A per-thread binding also has to match the thread. */
static bool profil_binding_is_current(const struct profil_binding *binding)
{
	return !binding->thread || binding->thread == task_pid(current);
}

static void profil_tick_binding(struct profil_binding *binding, struct pt_regs *regs, u64 period)
{
	struct profil_profile *profile = binding->profile;

	if (binding->key & PROFIL_KEY_GAP)
		profil_tick_gap(profile, period);
	else if (!(binding->key & PROFIL_KEY_OWNED))
		profil_tick_profile(profile, regs, period);
	else if (profil_tick_due(profile, period))
		profil_tick_recorded(profile, profil_record_sample(binding, regs));
}

/**
 * profil_tick_source() - count one tick, on the slow path
 * @source: what ticks; NULL: the clock
 * @regs: what it interrupted
 * @period: what the tick stands for, in ns or events
 *
 * For any number of profiles, in any state.
 *
 * Context: Interrupts off, in a section.
 * Return: true if the next tick may have to sample current.
 */
bool profil_tick_source(const struct profil_source *source, struct pt_regs *regs, u64 period)
{
	struct mm_struct *mm = current->mm;
	struct profil_binding *binding;
	bool bound = false;
	u32 met = 0;

	/* The chain may be empty, or hold other processes' bindings. */
	if (!mm)
		return profil_tick_unbound(source, regs, period);
	hlist_for_each_entry_rcu(binding, profil_tick_chain(mm), node) {
		if (binding->mm != mm || binding->profile->event.source != source ||
		    !profil_binding_is_current(binding))
			continue;
		bound = true;
		met |= profil_everybody_bit(binding->profile);
		profil_tick_binding(binding, regs, period);
	}
	if (unlikely(!bound && current->in_execve))
		profil_tick_unbound(source, regs, period);
	else if (unlikely(!profil_everybody_met(met)))
		profil_tick_unmet(source, met, regs, period);
	return true;
}

/**
 * profil_tick_more() - count one tick of the clock that is not of a single plain profile
 * @first: of the chain
 * @regs: what the tick interrupted
 * @period: the time that the tick stands for, in ns
 *
 * A single recording needs no walk along the chain.
 *
 * Context: Hard interrupt, interrupts off.
 * Return: as profil_tick_all().
 */
bool profil_tick_more(struct profil_binding *first, struct pt_regs *regs, u64 period)
{
	struct profil_profile *profile = first->profile;

	if (first->key != ((unsigned long)current->mm | PROFIL_KEY_OWNED) ||
	    READ_ONCE(first->node.next))
		return profil_tick_all(regs, period);
	if (profil_tick_due(profile, period))
		profil_tick_recorded(profile, profil_record_sample(first, regs));
	return true;
}

/**
 * profil_tick_none() - count one tick of an address space that nothing is bound to
 * @regs: what the tick interrupted
 * @period: the time that the tick stands for, in ns
 *
 * Context: Hard interrupt, interrupts off.
 * Return: as profil_tick_all().
 */
bool profil_tick_none(struct pt_regs *regs, u64 period)
{
	if (current->mm && !current->in_execve && !profil_everybody_exist())
		return false;
	return profil_tick_all(regs, period);
}

/* Points of the clock's grid that passed without a tick while current ran. */
static void profil_late_profile(struct profil_profile *profile, struct pt_regs *regs, u64 period,
				u64 since, u64 due)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);
	u64 lost;

	since = max(since, profile->started);
	if (due <= since)
		return;
	tally->late_credit += div64_u64(due - since - 1, period) * period;
	lost = div64_u64_rem(tally->late_credit, profile->period, &tally->late_credit);
	if (lost)
		profil_owe(profile, tally, regs, lost);
}

/**
 * profil_late() - count ticks that should have come and did not
 * @regs: what the present tick interrupted
 * @period: of the clock, in ns
 * @since: since when they are missing, in ns of CLOCK_MONOTONIC
 * @due: when the present tick, which is not one of them, was due
 *
 * Missing ticks are charged to current as far back as current ran: the idle task
 * lost nothing, and what ran before is not known any more.
 *
 * Context: Hard interrupt, interrupts off.
 */
void profil_late(struct pt_regs *regs, u64 period, u64 since, u64 due)
{
	u64 arrival = profil_task_arrival(current);
	struct mm_struct *mm = current->mm;
	struct profil_binding *binding;

	if (!arrival)
		return;
	since = max(since, ktime_get_ns() - (local_clock() - arrival));
	hlist_for_each_entry_rcu(binding, profil_tick_chain(mm), node) {
		bool gap = binding->key & (PROFIL_KEY_GAP | PROFIL_KEY_OWNED);

		if (binding->mm == mm && !(binding->key & PROFIL_KEY_EVENT) &&
		    profil_binding_is_current(binding))
			profil_late_profile(binding->profile, gap ? NULL : regs, period, since,
					    due);
	}
}
