// SPDX-License-Identifier: GPL-2.0-only
/*
 * A layout: the regions and policy of a profile, checked once, never changed.
 *
 * Every mistake that a user can make in a description is refused here, before
 * anything is pinned; an accepted layout is safe to compute with in interrupts.
 *
 * Context: process
 */
#include "memory/layout.h"

#include "base/base.h"

#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#define PROFIL_EVENTS_MAX	BIT_ULL(48)

/* The places of up to this many regions are on the stack: allocating memory takes longer. */
#define FEW_REGIONS	2
/* Places besides those of regions: that of the overflow counter or of the samples. */
#define OTHER_PLACES	1

/* A range of memory for counters, and where to store its position. */
struct place {
	unsigned long start;
	unsigned long end;
	u64 *position;
};

static int profil_layout_check_period(const struct profil_start *how)
{
	if (how->flags & PROFIL_EVENT)
		return !how->period || how->period > PROFIL_EVENTS_MAX ? -ERANGE : 0;
	if (how->period > PROFIL_CLOCK_MAX)
		return -ERANGE;
	/* Most periods are permitted to every user, and the capability check takes longer. */
	return how->period >= profil_period_min(false) ||
	       how->period >= profil_period_min(perfmon_capable()) ? 0 : -ERANGE;
}

static int profil_layout_check_policy(const struct profil_start *how)
{
	/* An event uses no clock. */
	if (how->flags & PROFIL_EVENT && how->clock)
		return -EINVAL;
	if (how->clock != PROFIL_CLOCK_DEFAULT && how->clock != profil_clock_number)
		return -EOPNOTSUPP;
	if (how->limit_policy > PROFIL_LIMIT_STOP)
		return -EINVAL;
	if (how->limit_policy == PROFIL_WRAP && how->limit)
		return -EINVAL;
	return profil_layout_check_period(how);
}

static int profil_layout_check_places(const struct profil_start *how)
{
	if (how->overflow && how->samples)
		return -EINVAL;
	if (!how->nr_regions && !how->overflow && !how->samples)
		return -EINVAL;
	if (how->overflow ? !profil_bin_width_valid(how->overflow_width) : how->overflow_width != 0)
		return -EINVAL;
	if (how->overflow && how->overflow % how->overflow_width)
		return -EINVAL;
	if (how->gate % sizeof(struct profil_gate))
		return -EINVAL;
	if (!how->samples)
		return how->sample_width || how->nr_samples ? -EINVAL : 0;
	if ((how->sample_width != 4 && how->sample_width != 8) || !how->nr_samples)
		return -EINVAL;
	if (how->nr_samples > PROFIL_BIN_BYTES_MAX / how->sample_width)
		return -EINVAL;
	return how->samples % how->sample_width ? -EINVAL : 0;
}

static int profil_layout_add_place(struct place *place, u64 address, u64 bytes, u64 *position)
{
	if (!access_ok(u64_to_user_ptr(address), bytes))
		return -EFAULT;
	place->start = round_down(address, PAGE_SIZE);
	place->end = round_up(address + bytes, PAGE_SIZE);
	place->position = position;
	*position = address;
	return 0;
}

/* Read the regions.  A region without a PC is dropped, so that ticks need not search it. */
static int profil_layout_add_regions(struct profil_layout *layout, struct place *places, u32 *nr)
{
	const struct profil_start *how = &layout->how;
	const char __user *from = u64_to_user_ptr(how->regions);
	struct profil_region r;
	u64 floor = 0;
	u32 i;
	int err;

	for (i = 0; i < how->nr_regions; i++, from += how->region_size) {
		struct profil_bin *bin = &layout->bin[layout->nr_bins];

		cond_resched();
		err = copy_struct_from_user(&r, sizeof(r), from, how->region_size);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		if (err)
			return err;
		if (!profil_bin_valid(&r) || r.low < floor || (r.bytes && r.buffer % r.width))
			return -EINVAL;
		floor = r.high;
		if (!profil_bin_prepare(bin, &r, 0))
			continue;
		layout->nr_bins++;
		if (!r.bytes)
			continue;
		err = profil_layout_add_place(&places[(*nr)++], r.buffer, r.bytes, &bin->base);
		if (err)
			return err;
	}
	return 0;
}

static int profil_layout_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	/* There may be PROFIL_REGION_MAX places, and sort() itself does not reschedule. */
	cond_resched();
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Merge sorted places into spans that share no page; turn addresses into positions. */
static void profil_layout_join(struct profil_layout *layout, const struct place *places, u32 nr)
{
	struct profil_span *span = NULL;
	unsigned long end = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!span || places[i].start >= end) {
			span = &layout->spans[layout->nr_spans++];
			span->start = places[i].start;
			span->first = layout->pages;
			end = places[i].start;
		}
		if (places[i].end > end) {
			layout->pages += (places[i].end - end) >> PAGE_SHIFT;
			end = places[i].end;
			span->pages = (end - span->start) >> PAGE_SHIFT;
		}
		*places[i].position += ((u64)span->first << PAGE_SHIFT) - span->start;
	}
}

static int profil_layout_place_spans(struct profil_layout *layout)
{
	const struct profil_start *how = &layout->how;
	struct place few[FEW_REGIONS + OTHER_PLACES], *places = few;
	u32 nr = 0;
	int err;

	if (how->nr_regions > FEW_REGIONS)
		places = kvcalloc(how->nr_regions + OTHER_PLACES, sizeof(*places),
				  GFP_KERNEL_ACCOUNT);
	if (!places)
		return -ENOMEM;
	err = profil_layout_add_regions(layout, places, &nr);
	if (!err && how->gate &&
	    get_user(layout->gate_value, (u32 __user *)u64_to_user_ptr(how->gate)))
		err = -EFAULT;
	if (!err && how->overflow)
		err = profil_layout_add_place(&places[nr++], how->overflow, how->overflow_width,
					      &layout->overflow);
	if (!err && how->samples)
		err = profil_layout_add_place(&places[nr++], how->samples,
					      how->nr_samples * how->sample_width,
					      &layout->samples);
	if (!err) {
		sort(places, nr, sizeof(*places), profil_layout_compare, NULL);
		profil_layout_join(layout, places, nr);
	}
	if (places != few)
		kvfree(places);
	return err;
}

static void profil_layout_set_limits(struct profil_layout *layout)
{
	u64 limit = layout->how.limit;
	unsigned int i;

	for (i = 1; i < ARRAY_SIZE(layout->limit); i++) {
		u64 most = U64_MAX >> (64 - (8U << i));

		layout->limit[i] = limit && limit < most ? limit : most;
	}
}

static void profil_layout_free(struct profil_layout *layout)
{
	kvfree(layout);
	module_put(THIS_MODULE);
}

static void profil_layout_free_work(struct work_struct *work)
{
	profil_layout_free(container_of(work, struct profil_layout, free));
}

static int profil_layout_check_how(const struct profil_start *how)
{
	int err = profil_layout_check_places(how);

	if (err)
		return err;
	if (how->nr_regions > PROFIL_REGION_MAX || how->region_size > PAGE_SIZE)
		return -E2BIG;
	if (!how->nr_regions)
		return how->regions || how->region_size ? -EINVAL : 0;
	return how->region_size < sizeof(struct profil_region) ? -EINVAL : 0;
}

static struct profil_layout *profil_layout_build(const struct profil_start *how, bool table)
{
	struct profil_layout *layout;
	size_t bytes;
	int err = profil_layout_check_how(how);

	if (err)
		return ERR_PTR(err);
	bytes = struct_size(layout, bin, how->nr_regions) +
		array_size(how->nr_regions + OTHER_PLACES, sizeof(*layout->spans));
	layout = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	__module_get(THIS_MODULE);
	refcount_set(&layout->refs, 1);
	INIT_WORK(&layout->free, profil_layout_free_work);
	layout->how = *how;
	layout->bytes = bytes;
	layout->spans = (struct profil_span *)&layout->bin[how->nr_regions];
	layout->pcsample = !how->nr_regions && how->samples;
	if (table) {
		layout->count_bits = ilog2(how->nr_samples / PROFIL_COUNT_SAMPLES);
		layout->count_mask = BIT_ULL(layout->count_bits) - 1;
		layout->count_secret = get_random_u64() | 1;
	}
	profil_layout_set_limits(layout);

	err = profil_layout_place_spans(layout);
	if (!err)
		return layout;
	profil_layout_free(layout);
	return ERR_PTR(err);
}

/**
 * profil_layout_create() - check a description and prepare it for the tick
 * @how: a copy of the caller's description, with its flags checked; the regions are still in
 *	current's memory
 * @table: the samples are a recording's table of counts
 *
 * Context: Process context, may sleep; reads current's memory.
 * Return: the layout with one reference, or an ERR_PTR: -EINVAL, -EFAULT,
 * -E2BIG, -ERANGE, -EOPNOTSUPP, -ENOMEM, -EINTR.
 */
struct profil_layout *profil_layout_create(const struct profil_start *how, bool table)
{
	int err = profil_layout_check_policy(how);

	return err ? ERR_PTR(err) : profil_layout_build(how, table);
}

/**
 * profil_layout_move_table() - make a layout with the same policy and another table
 * @old: the layout with that policy
 * @start: its array of samples is the new table; the other members are not used
 *
 * Context: Process context, may sleep.
 * Return: as profil_layout_create().
 */
struct profil_layout *profil_layout_move_table(const struct profil_layout *old,
					       const struct profil_start *start)
{
	struct profil_start how = old->how;

	how.samples = start->samples;
	how.nr_samples = start->nr_samples;
	how.sample_width = start->sample_width;
	return profil_layout_build(&how, true);
}

/**
 * profil_layout_get() - take a reference
 * @layout: a layout that the caller knows to be referenced
 *
 * Context: Any.
 * Return: @layout.
 */
struct profil_layout *profil_layout_get(struct profil_layout *layout)
{
	refcount_inc(&layout->refs);
	return layout;
}

/**
 * profil_layout_put() - drop a reference
 * @layout: freed in process context with the last reference
 *
 * Context: Any.
 */
void profil_layout_put(struct profil_layout *layout)
{
	if (refcount_dec_and_test(&layout->refs))
		queue_work(profil_wq, &layout->free);
}

/**
 * profil_layout_put_here() - drop a reference, without waking a worker
 * @layout: freed before this returns, if the reference was the last one
 *
 * Waking a worker would take longer than all the rest of a stop.
 *
 * Context: Process context.  The caller holds a reference to the module, or runs on the module's
 * workqueue.
 */
void profil_layout_put_here(struct profil_layout *layout)
{
	if (refcount_dec_and_test(&layout->refs))
		profil_layout_free(layout);
}

/**
 * profil_layout_address() - find the address of a page of counters
 * @layout: the layout
 * @index: number of the page
 *
 * Context: Any.
 * Return: the address of the page in the memory of the counters' owner.
 */
unsigned long profil_layout_address(const struct profil_layout *layout, unsigned long index)
{
	const struct profil_span *span = layout->spans;
	unsigned int n = layout->nr_spans;

	/* The spans are in the order of their pages. */
	while (n > 1) {
		unsigned int half = n / 2;

		span = span[half].first <= index ? span + half : span;
		n -= half;
	}
	return span->start + ((index - span->first) << PAGE_SHIFT);
}
