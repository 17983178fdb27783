/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick: from registers to a counter.
 *
 * The fast paths are here, to be inlined into the clock's own functions; the slow path
 * is in sample.c, where the comment at the top describes all of them.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_SAMPLE_H
#define PROFIL_SAMPLE_H

#include "profile/binding.h"
#include "profile/layout.h"
#include "profile/pins.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "tick/bin.h"
#include "tick/checkpoint.h"
#include "tick/counter.h"
#include "tick/due.h"
#include "tick/record.h"
#include "tick/region.h"
#include "tick/window.h"

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/types.h>

struct profil_source;

/**
 * struct profil_memo - the last bucket that was looked up, as the hash is expensive
 * @mm: its address space; compared, never dereferenced; initially not an address
 * @chain: of its bucket
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

/**
 * profil_tick_all() - count one tick of the clock, on the slow path
 * @regs: what it interrupted
 * @period: the time that the tick stands for, in ns
 *
 * Context: Hard interrupt, interrupts off, in a section.
 * Return: true if the next tick may have to sample current.
 */
static inline bool profil_tick_all(struct pt_regs *regs, u64 period)
{
	return profil_tick_source(NULL, regs, period);
}

/*
 * The shortest path.  It does not check what was settled when the pins were made, nor
 * whether the profile runs and the page is there: profil_pins_slow() disables this path
 * when the profile stops, and before a page goes.  The gate is checked, as the program
 * itself shuts it.
 */
static __always_inline bool profil_sample_plain(const struct profil_profile *profile,
						struct pt_regs *regs)
{
	const struct profil_pins *pins = rcu_dereference_sched(profile->pins);
	u64 distance, index;
	u32 *page;

	/* No pins: a child of a profile that had stopped. */
	if (unlikely(!pins || !user_mode(regs)))
		return false;
	distance = instruction_pointer(regs) - pins->plain.low;
	if (unlikely(distance >= READ_ONCE(pins->plain.span) || !profil_pins_open(pins)))
		return false;
	index = profil_plain_index(&pins->plain, distance);
	page = profil_page_at(pins, index / (PAGE_SIZE / sizeof(*page)));
	profil_window();
	atomic_inc((atomic_t *)&page[index % (PAGE_SIZE / sizeof(*page))]);
	return true;
}

/* The region of a PC: mostly the same as at the tick before. */
static __always_inline const struct profil_bin *
profil_tick_region(const struct profil_layout *layout, struct profil_tally *tally, u64 pc)
{
	u32 region = tally->region;
	const struct profil_bin *bin;

	/* There may be none. */
	if (likely(region < layout->nr_bins)) {
		bin = &layout->bin[region];
		if (likely(pc - bin->low < bin->high - bin->low))
			return bin;
	}
	bin = profil_layout_find(layout, pc);
	if (bin)
		tally->region = bin - layout->bin;
	return bin;
}

/*
 * The same for any number of regions with counters of any width.  Return: PROFIL_NR_CAUSES,
 * with nothing counted, if the slow path has to count it.
 */
static __always_inline enum profil_cause
profil_sample_quick(const struct profil_profile *profile, struct profil_tally *tally,
		    struct pt_regs *regs)
{
	const struct profil_pins *pins = rcu_dereference_sched(profile->pins);
	u64 pc = instruction_pointer(regs), position;
	const struct profil_bin *bin;
	void *page;

	if (unlikely(!pins || !READ_ONCE(pins->quick) || !user_mode(regs) ||
		     !profil_pins_open(pins)))
		return PROFIL_NR_CAUSES;
	bin = profil_tick_region(pins->layout, tally, pc);
	if (unlikely(!bin || !bin->width))
		return PROFIL_NR_CAUSES;
	position = profil_bin_position(bin, pc);
	page = profil_page_at(pins, position >> PAGE_SHIFT);
	profil_window();
	return profil_counter_wrap(page + (position & ~PAGE_MASK), bin->width, 1);
}

/* The chain of the bucket of @mm: mostly the same as at the tick before. */
static __always_inline struct hlist_head *profil_tick_chain(const struct mm_struct *mm)
{
	struct profil_memo *memo = this_cpu_ptr(&profil_memo);

	if (unlikely(memo->mm != mm)) {
		memo->mm = mm;
		memo->chain = &profil_binding_bucket(mm)->chain;
	}
	return memo->chain;
}

/* Return: false, with nothing changed, if it is not due, or not plain, or has a checkpoint. */
static __always_inline bool profil_tick_plain(struct profil_profile *profile,
					      struct pt_regs *regs, u64 period)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);

	if (unlikely(profile->period != period || tally->countdown == 1 ||
		     !profil_sample_plain(profile, regs)))
		return false;
	tally->cause[PROFIL_COUNTED]++;
	tally->countdown--;
	return true;
}

/* The same, by profil_sample_quick(). */
static __always_inline bool profil_tick_quick(struct profil_profile *profile,
					      struct pt_regs *regs, u64 period)
{
	struct profil_tally *tally = this_cpu_ptr(profile->tally);
	enum profil_cause cause;

	if (unlikely(profile->period != period || tally->countdown == 1))
		return false;
	cause = profil_sample_quick(profile, tally, regs);
	if (unlikely(cause == PROFIL_NR_CAUSES))
		return false;
	tally->cause[cause]++;
	tally->countdown--;
	return true;
}

/* The only binding in the bucket of @mm, which may be another address space's, or NULL. */
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
 * profil_tick_alone() - count one tick of the clock if that is simple
 * @regs: what it interrupted
 * @period: of the clock, in ns
 *
 * A single plain profile is counted right here, by code that calls nothing and so
 * saves no registers.
 *
 * Context: Hard interrupt, interrupts off, in a section.
 * Return: false, with nothing changed, if profil_tick_any() has to count it.
 */
static __always_inline bool profil_tick_alone(struct pt_regs *regs, u64 period)
{
	const struct profil_binding *only = profil_tick_only(current->mm);

	return likely(only && only->key == (unsigned long)current->mm) &&
	       profil_tick_plain(only->profile, regs, period);
}

/* Count one tick of a recording, @binding being of current's address space. */
static __always_inline void profil_tick_recording(struct profil_binding *binding,
						  struct pt_regs *regs, u64 period)
{
	struct profil_profile *profile = binding->profile;

	if (profil_tick_due(profile, period))
		profil_tick_recorded(profile, profil_record_sample(binding, regs));
}

/*
 * Return: true if each binding in a chain, which may be empty, is to this address space and all
 * its threads, and no system-wide recording lacks a binding.
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
 * @regs: what it interrupted
 * @period: what the tick stands for, in events
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
			/* A binding that was added since then begins after this tick. */
			if (READ_ONCE(binding->key) != mine ||
			    binding->profile->event.source != source)
				continue;
			bound = true;
			profil_tick_recording(binding, regs, period);
		}
	}
	if (unlikely(!bound))
		profil_tick_source(source, regs, period);
}

#endif /* PROFIL_SAMPLE_H */
