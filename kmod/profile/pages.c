// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning, rechecking and unpinning the pages of the counters.
 *
 * Context: process
 */
#include "profile/pages.h"

#include "clock/cpus.h"
#include "profile/charge.h"
#include "profile/layout.h"
#include "profile/limits.h"
#include "profile/pins.h"
#include "profile/span.h"
#include "tick/arch.h"

#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

/* Pages handled at once; bounds the use of stack. */
#define BATCH		32
/* Of the checks that find no change, one in so many looks at single pages for memory errors. */
#define RARELY		64
/* Elements of the array of pages between two chances to schedule. */
#define STRIDE		1024

/* No tick can reach the pins any more. */
static void profil_pins_unpin(struct profil_pins *pins)
{
	unsigned long i, end = pins->layout->pages;
	struct page *pages[BATCH];
	unsigned int n;

	for (i = 0; i < end; ) {
		/* Late pins may have none for a long way. */
		for (n = 0; n < BATCH && i < end; i++) {
			if (pins->page[i])
				pages[n++] = virt_to_page(pins->page[i]);
			if (i % STRIDE == 0)
				cond_resched();
		}
		unpin_user_pages_dirty_lock(pages, n, true);
		cond_resched();
	}
}

static int profil_pins_compare_spans(const void *key, const void *element)
{
	const struct profil_span *a = key, *b = element;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* The same span of the old pins, if they have it and it is not off. */
static const struct profil_span *profil_pins_old_span(const struct profil_pins *old,
						      const struct profil_span *span)
{
	const struct profil_span *same;

	if (!old || profil_layout_is_late(old->layout))
		return NULL;
	same = bsearch(span, old->layout->spans, old->layout->nr_spans, sizeof(*same),
		       profil_pins_compare_spans);
	if (!same || same->pages != span->pages || profil_page_is_off(old->page[same->first]))
		return NULL;
	return same;
}

/*
 * Counters that wrap: the tick need not check a limit, or check that the page is there.  For one
 * region with 32-bit counters, it need not search for a region either.
 */
static void profil_pins_set_fast(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;

	if (layout->how.limit_policy != PROFIL_WRAP)
		return;
	pins->quick = layout->nr_bins > 0;
	if (layout->nr_bins == 1)
		profil_bin_plain(&pins->plain, &layout->bin[0]);
}

static int profil_pins_pin_spans(struct profil_pins *pins, const struct profil_pins *old,
				 bool inherited)
{
	struct profil_layout *layout = pins->layout;
	unsigned int i;
	int err;

	for (i = 0; i < layout->nr_spans; i++) {
		struct profil_span *span = &layout->spans[i];
		const struct profil_span *same = profil_pins_old_span(old, span);

		if (same) {
			span->signature = same->signature;
			continue;
		}
		err = profil_span_pin(pins, span, inherited);
		/* It was off in the parent, is now off in both, or had no page at the fork. */
		if ((err == -EFAULT || err == -ENOENT) && inherited &&
		    layout->how.flags & PROFIL_FAULT_REGION) {
			profil_pins_slow(pins);
			pins->held -= span->pages;
			profil_charge_return(pins, span->pages);
			err = 0;
		}
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/*
 * Under PROFIL_PIN_LATE only the gate is pinned at the start.  It is charged to the user alone:
 * a program that needs no other page can run with any RLIMIT_MEMLOCK.
 */
static int profil_pins_pin_gate(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;
	struct page *page;
	int err;

	if (!layout->how.gate)
		return 0;
	err = profil_page_pin(round_down(layout->how.gate, PAGE_SIZE), &page);
	if (!err)
		pins->page[layout->gate >> PAGE_SHIFT] = page_address(page);
	return err;
}

static unsigned long profil_pins_to_pin(const struct profil_layout *layout,
					const struct profil_pins *old)
{
	unsigned long pages = layout->pages;
	unsigned int i;

	if (profil_layout_is_late(layout))
		return 0;
	for (i = 0; old && i < layout->nr_spans; i++)
		if (profil_pins_old_span(old, &layout->spans[i]))
			pages -= layout->spans[i].pages;
	return pages;
}

static int profil_pins_pin(struct profil_pins *pins, const struct profil_pins *old,
			   bool inherited)
{
	int err;

	if (profil_layout_is_late(pins->layout)) {
		err = profil_pins_pin_gate(pins);
	} else {
		profil_pins_set_fast(pins);
		err = profil_pins_pin_spans(pins, old, inherited);
	}
	profil_pins_aim(pins);
	return err;
}

static struct profil_pins *profil_pins_alloc(struct profil_layout *layout,
					     struct profil_user *user, unsigned long size)
{
	struct profil_pins *pins;

	pins = kvzalloc(struct_size(pins, page, size), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pins)
		return NULL;
	if (profil_layout_is_late(layout) && layout->how.flags & PROFIL_FAULT_REGION) {
		pins->holes = bitmap_zalloc(layout->nr_bins + 1, GFP_KERNEL_ACCOUNT);
		if (!pins->holes) {
			kvfree(pins);
			return NULL;
		}
	}
	refcount_set(&pins->refs, 1);
	pins->user = profil_user_hold(user);
	pins->layout = profil_layout_get(layout);
	pins->mask = size - 1;
	pins->mm = current->mm;
	mmgrab(pins->mm);
	pins->gate_value = layout->gate_value;
	pins->gate_lost = ~layout->gate_value;
	profil_charge_init(pins);
	return pins;
}

/**
 * profil_pins_create() - pin the pages of a layout in current's memory
 * @layout: not yet in use by a tick; its spans receive their signatures unless
 *	@inherited
 * @user: the account to charge
 * @lock: of the profile that will have the pins
 * @old: pins of the same memory, which no other task checks now, or NULL; identical spans
 *	are left out, for profil_pins_share() to share once nothing can fail
 * @inherited: by fork: refuse memory that is not the parent's
 *
 * Context: Process context, current->mm is the owner's.  May sleep, for as long as
 * that memory takes: without any lock that others could wait for.
 * Return: the pins, or an ERR_PTR: -EFAULT, -ENOMEM, -EDQUOT, -EINTR; -ENOENT if @inherited
 * memory never had a page.
 */
struct profil_pins *profil_pins_create(struct profil_layout *layout, struct profil_user *user,
				       struct mutex *lock, const struct profil_pins *old,
				       bool inherited)
{
	/* A power of two, for the mask that keeps speculative execution inside the array. */
	unsigned long size = roundup_pow_of_two(max(layout->pages, 1UL));
	unsigned long pages = profil_pins_to_pin(layout, old);
	unsigned long overhead = layout->bytes >> PAGE_SHIFT;
	struct profil_pins *pins;
	int err;

	/* A pinned page's charge covers its place in the array, but here most may be missing. */
	if (profil_layout_is_late(layout))
		overhead += (array_size(size, sizeof(*pins->page)) >> PAGE_SHIFT) +
			    !!layout->how.gate;
	/* Before the array is allocated, as there may be a great many pages. */
	err = profil_user_charge_pages(user, pages + overhead);
	if (err)
		return ERR_PTR(err);
	pins = profil_pins_alloc(layout, user, size);
	err = pins ? profil_charge_locked(pins, pages) : -ENOMEM;
	if (err) {
		profil_user_uncharge_pages(user, pages + overhead);
		if (pins)
			profil_pins_put(pins);
		return ERR_PTR(err);
	}
	pins->lock = lock;
	pins->held = pages;
	pins->overhead = overhead;
	err = profil_pins_pin(pins, old, inherited);
	if (!err)
		return pins;
	profil_pins_release(pins);
	return ERR_PTR(err);
}

/**
 * profil_pins_share() - fill in the spans that were left out
 * @pins: created with @old, to be published next
 * @old: still its profile's pins, whose lock is held
 *
 * Separate from creation, so that a failure never leaves pages with two owners.
 *
 * Context: Process context.
 */
void profil_pins_share(struct profil_pins *pins, const struct profil_pins *old)
{
	struct profil_layout *layout = pins->layout;
	unsigned int i;

	if (profil_layout_is_late(layout))
		return;
	for (i = 0; i < layout->nr_spans; i++) {
		struct profil_span *span = &layout->spans[i];
		const struct profil_span *same;

		if (pins->page[span->first])
			continue;
		same = profil_pins_old_span(old, span);
		memcpy(&pins->page[span->first], &old->page[same->first],
		       span->pages * sizeof(*pins->page));
	}
	profil_pins_aim(pins);
}

/**
 * profil_pins_take_over() - make shared pages the new pins' own
 * @pins: shared with @old, and published
 * @old: no tick can reach it any more
 *
 * Context: Process context, under the lock that @old was shared under.
 */
void profil_pins_take_over(struct profil_pins *pins, struct profil_pins *old)
{
	struct profil_layout *layout = pins->layout;
	unsigned long moved = 0;
	unsigned int i;

	if (profil_layout_is_late(layout))
		return;
	for (i = 0; i < layout->nr_spans; i++) {
		const struct profil_span *span = &layout->spans[i];
		const struct profil_span *same = profil_pins_old_span(old, span);

		if (!same)
			continue;
		memset(&old->page[same->first], 0, same->pages * sizeof(*old->page));
		moved += same->pages;
	}
	old->held -= moved;
	pins->held += moved;
	profil_charge_move(old, pins, moved);
}

/* Stop counting in a span. */
static void profil_pins_shut_span(struct profil_pins *pins, const struct profil_span *span)
{
	unsigned long i, end = span->first + span->pages;

	lockdep_assert_held(pins->lock);
	/* No tick may be on a fast path, as fast paths do not check for the page. */
	profil_pins_slow(pins);
	profil_clock_sync();
	for (i = span->first; i < end; i++)
		WRITE_ONCE(pins->page[i], pins->page[i] + PROFIL_PAGE_LEAVES);
	profil_pins_sync(pins);
}

/* Take pages out of a span that is shut.  Return: how many; 0 if none is left. */
static unsigned int profil_pins_take(struct profil_pins *pins, const struct profil_span *span,
				     unsigned long *done, struct page **pages)
{
	unsigned int n;

	mutex_lock(pins->lock);
	for (n = 0; n < BATCH && *done < span->pages && !pins->gone; ++*done) {
		pages[n++] = virt_to_page(pins->page[span->first + *done] - PROFIL_PAGE_LEAVES);
		WRITE_ONCE(pins->page[span->first + *done], NULL);
	}
	pins->held -= n;
	mutex_unlock(pins->lock);
	return n;
}

static void profil_pins_turn_off(struct profil_pins *pins, const struct profil_span *span)
{
	struct page *pages[BATCH];
	unsigned long done = 0;
	unsigned int n;

	mutex_lock(pins->lock);
	if (!pins->gone)
		profil_pins_shut_span(pins, span);
	mutex_unlock(pins->lock);
	/* If the profile ends in between, its end unpins the rest. */
	while ((n = profil_pins_take(pins, span, &done, pages))) {
		unpin_user_pages_dirty_lock(pages, n, true);
		profil_charge_return(pins, n);
		cond_resched();
	}
}

static bool profil_page_has_error(struct page *page)
{
	return is_page_hwpoison(page);
}

static bool profil_page_is_part(struct page *page)
{
	return PageCompound(page);
}

/* Return: true if any page that is not off is such a page. */
static __always_inline bool profil_pins_have(const struct profil_pins *pins,
					     bool (*such)(struct page *page))
{
	unsigned long i;

	for (i = 0; i < pins->layout->pages; i++) {
		void *page = READ_ONCE(pins->page[i]);

		if (!profil_page_is_off(page) && such(virt_to_page(page)))
			return true;
		if (i % STRIDE == 0)
			cond_resched();
	}
	return false;
}

/*
 * If so, the kernel unmaps a page with a memory error, unless it finds the error at a bad moment.
 * Late pages may be pinned after this look; others do not become part of a huge page.
 */
static bool profil_pins_are_single(const struct profil_pins *pins)
{
	return !profil_layout_is_late(pins->layout) && !profil_pins_have(pins, profil_page_is_part);
}

/**
 * profil_pins_check() - recheck that the counters are still mapped as they were
 * @pins: of current's memory, referenced
 *
 * If a mapping is gone, was replaced, or is no longer writable, its span is turned
 * off: this is how munmap, mprotect and mremap take effect.  Mappings are not looked up if
 * the kernel can tell that nothing of the kind has happened since the last check.
 *
 * Context: Process context, may sleep; no other task checks the same pins.
 * Return: 0, -EFAULT if this call has turned a span off, -EINTR, -ENOMEM.
 */
int profil_pins_check(struct profil_pins *pins)
{
	u64 changes = profil_mm_changes(pins->mm);
	unsigned int i;
	int ret = 0;

	if (changes && changes == pins->changes &&
	    ((pins->single && ++pins->checks % RARELY) ||
	     !profil_pins_have(pins, profil_page_has_error)))
		return 0;
	pins->changes = 0;
	for (i = 0; i < pins->layout->nr_spans; i++) {
		const struct profil_span *span = &pins->layout->spans[i];
		int err;

		if (profil_page_is_off(READ_ONCE(pins->page[span->first])) ||
		    profil_span_same(pins, span))
			continue;	/* already off, or unchanged */
		err = profil_span_check(pins, span);
		/* Check the rest next time, but report a fault now: it would not be found again. */
		if (err && err != -EFAULT)
			return ret ?: err;
		if (err) {
			profil_pins_turn_off(pins, span);
			ret = err;
		}
	}
	/* The value from before the mappings were looked up. */
	pins->changes = changes;
	pins->single = profil_pins_are_single(pins);
	return ret;
}

/**
 * profil_pins_release() - unpin, give back the charges, and drop the profile's reference
 * @pins: gone: no tick can reach them any more
 *
 * Context: Process context, any task; without locks of ours.
 */
void profil_pins_release(struct profil_pins *pins)
{
	profil_pins_unpin(pins);
	profil_charge_return(pins, pins->held);
	profil_user_uncharge_pages(pins->user, pins->overhead);
	profil_pins_put(pins);
}
