/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick: from registers to a counter.
 *
 * The fast path is here, to be inlined into the clock's own functions.  The slow path
 * is in sample.c, whose head comment describes both.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_SAMPLE_H
#define PROFIL_SAMPLE_H

#include "tick/record.h"

#include <linux/sched.h>

struct profil_profile;
struct profil_source;
struct pt_regs;

/*
 * The share of a source's ticks that a profile takes.
 */

bool profil_due_now(struct profil_profile *profile, struct profil_tally *tally,
		    struct pt_regs *regs, u64 period);

/* Return: true if a recording takes a tick.  Ticks that the recording is owed are PROFIL_LATE. */
static __always_inline bool profil_tick_due(struct profil_profile *profile, u64 period)
{
	return profile->period == period ||
	       profil_due_now(profile, profil_tally_here(profile), NULL, period);
}

/* Count the outcome of a recording's tick; a deferred tick counts once it is resolved. */
static __always_inline void profil_tick_recorded(struct profil_profile *profile,
						 enum profil_cause cause)
{
	struct profil_tally *tally = profil_tally_here(profile);

	if (cause == PROFIL_DEFERRED)
		return;
	tally->cause[cause]++;
	tally->granted++;
}

/**
 * profil_page_at() - get a page of the counters
 * @pins: the pins of the counters
 * @index: index of the page
 *
 * The program chooses the PC and the scale, so the mask also keeps speculative
 * execution inside the array.
 *
 * Context: Hard interrupt.
 * Return: its address, or NULL if it is not pinned.
 */
static __always_inline void *profil_page_at(const struct profil_pins *pins, u64 index)
{
	return READ_ONCE(pins->page[index & pins->mask]);
}

/**
 * struct profil_memo - the last bucket that was looked up, as the hash is expensive
 * @mm: the address space that was looked up; compared, never dereferenced; initially not an address
 * @chain: the chain of the bucket
 */
struct profil_memo {
	const struct mm_struct *mm;
	struct hlist_head *chain;
};

DECLARE_PER_CPU(struct profil_memo, profil_memo);

void profil_tick_profile(struct profil_profile *profile, struct pt_regs *regs, u64 period);
bool profil_tick_any(struct pt_regs *regs, u64 period);
bool profil_tick_source(const struct profil_source *source, struct pt_regs *regs, u64 period);
void profil_late(struct pt_regs *regs, u64 period, u64 since, u64 due);

/*
 * Return: true if a tick may take a fast path.  The fast paths do not check whether the profile
 * runs, or whether a region is off: profil_pins_slow() disables the paths then.  The gate is
 * checked, because the program itself shuts it.  The child of a stopped profile has no pins.
 */
static __always_inline bool profil_sample_may_be_fast(const struct profil_pins *pins,
						      struct pt_regs *regs)
{
	return likely(pins && READ_ONCE(pins->fast) && user_mode(regs) && profil_pins_open(pins));
}

/*
 * The fast path of a self profile with regions.  Return: the outcome; PROFIL_NR_CAUSES, with
 * nothing counted, if another path has to count the tick.
 */
static __always_inline enum profil_cause
profil_sample_fast(const struct profil_profile *profile, struct profil_tally *tally,
		   struct pt_regs *regs)
{
	const struct profil_pins *pins = rcu_dereference_sched(profile->pins);
	u64 pc = instruction_pointer(regs), position;
	const struct profil_bin *bin;
	enum profil_cause cause;
	void *page;
	u64 one = 1;

	if (!profil_sample_may_be_fast(pins, regs))
		return PROFIL_NR_CAUSES;
	/* Usually the PC is in the region of the previous tick; there may be no regions. */
	bin = &pins->layout->bin[tally->region];
	if (unlikely(tally->region >= pins->layout->nr_bins ||
		     pc - bin->low >= bin->high - bin->low)) {
		bin = profil_layout_find(pins->layout, pc);
		if (!bin)
			return PROFIL_NR_CAUSES;
		tally->region = bin - pins->layout->bin;
	}
	if (unlikely(!bin->width))
		return PROFIL_NR_CAUSES;
	position = profil_bin_position(bin, pc);
	page = profil_page_at(pins, position >> PAGE_SHIFT);
	if (unlikely(!page))
		return PROFIL_NR_CAUSES;
	profil_window();
	cause = profil_counter_add(pins->layout, page + (position & ~PAGE_MASK), bin->width, &one);
	return cause == PROFIL_SATURATED && pins->layout->how.limit_policy == PROFIL_LIMIT_STOP ?
		       PROFIL_NR_CAUSES : cause;
}

/* Return: the chain of the bucket of @mm, which is usually that of the previous tick. */
static __always_inline struct hlist_head *profil_tick_chain(const struct mm_struct *mm)
{
	struct profil_memo *memo = this_cpu_ptr(&profil_memo);

	if (unlikely(memo->mm != mm)) {
		memo->mm = mm;
		memo->chain = &profil_binding_bucket(mm)->chain;
	}
	return memo->chain;
}

/*
 * Count one tick of a self profile.  Return: false, with nothing counted, if the tick may not be
 * the profile's, if a checkpoint is due, or if the tick needs another path.
 */
static __always_inline bool profil_tick_fast(struct profil_profile *profile,
					     struct pt_regs *regs, u64 period)
{
	struct profil_tally *tally = profil_tally_here(profile);
	enum profil_cause cause;

	if (unlikely(profile->period != period || tally->countdown == 1))
		return false;
	cause = profil_sample_fast(profile, tally, regs);
	if (unlikely(cause == PROFIL_NR_CAUSES))
		return false;
	tally->cause[cause]++;
	tally->countdown--;
	return true;
}

/*
 * Return: the only binding in the bucket of @mm, possibly to another address space; NULL if there
 * is no binding, or more than one, or if the previous lookup was of another address space.
 */
static __always_inline struct profil_binding *profil_tick_only(const struct mm_struct *mm)
{
	const struct profil_memo *memo = this_cpu_ptr(&profil_memo);
	struct hlist_node *first;

	if (unlikely(memo->mm != mm))
		return NULL;
	first = rcu_dereference_raw(hlist_first_rcu(memo->chain));
	if (unlikely(!first || READ_ONCE(first->next)))
		return NULL;
	return hlist_entry(first, struct profil_binding, node);
}

/**
 * profil_tick_alone() - count one tick of the clock for a single self profile
 * @regs: the interrupted registers
 * @period: the clock's period, in ns
 *
 * Context: Hard interrupt, interrupts off, in a section.
 * Return: false, with nothing counted, if profil_tick_any() has to count the tick.
 */
static __always_inline bool profil_tick_alone(struct pt_regs *regs, u64 period)
{
	const struct profil_binding *only = profil_tick_only(current->mm);

	return likely(only && only->key == (unsigned long)current->mm) &&
	       profil_tick_fast(only->profile, regs, period);
}

/* Count one tick of a recording.  @binding is to current's address space. */
static __always_inline void profil_tick_recording(struct profil_binding *binding,
						  struct pt_regs *regs, u64 period)
{
	if (profil_tick_due(binding->profile, period))
		profil_record_sample(binding, regs);
}

/*
 * Return: true if each binding in a chain is to all threads of this address space, which is missing
 * from no system-wide recording.  The chain may be empty.
 */
static __always_inline bool profil_chain_is_simple(const struct hlist_head *chain,
						   const struct mm_struct *mm)
{
	const unsigned long other = ~(PROFIL_KEY_OWNED | PROFIL_KEY_EVENT);
	const struct profil_binding *binding;

	hlist_for_each_entry_rcu(binding, chain, node)
		if ((READ_ONCE(binding->key) & other) != (unsigned long)mm)
			return false;
	return true;
}

/**
 * profil_tick_event() - count one tick of an event
 * @source: the event
 * @regs: the interrupted registers
 * @period: events that the tick stands for
 *
 * Context: Interrupts off, in a section.
 */
static __always_inline void profil_tick_event(const struct profil_source *source,
					      struct pt_regs *regs, u64 period)
{
	struct mm_struct *mm = current->mm;
	unsigned long mine = (unsigned long)mm | PROFIL_KEY_OWNED | PROFIL_KEY_EVENT;
	struct hlist_head *chain = mm ? profil_tick_chain(mm) : NULL;
	struct profil_binding *binding;
	bool bound = false;

	if (mm && profil_chain_is_simple(chain, mm)) {
		profil_window();
		hlist_for_each_entry_rcu(binding, chain, node) {
			/* A binding that was added meanwhile may get its first tick later. */
			if (READ_ONCE(binding->key) != mine ||
			    binding->profile->claim.source != source)
				continue;
			bound = true;
			profil_tick_recording(binding, regs, period);
		}
	}
	if (unlikely(!bound))
		profil_tick_source(source, regs, period);
}

#endif /* PROFIL_SAMPLE_H */
