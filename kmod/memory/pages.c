// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning, rechecking and unpinning the pages of the counters.
 *
 * Context: process
 */
#include "memory/pins.h"

#include "base/arch.h"
#include "base/limits.h"

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
		/* There may be none for a long way. */
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

/*
 * Of a self profile only the gate is pinned at the start.  It is charged to the user alone:
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

static int profil_pins_pin(struct profil_pins *pins)
{
	int err;

	if (profil_layout_is_table(pins->layout))
		err = profil_span_pin(pins, pins->layout->spans);
	else
		err = profil_pins_pin_gate(pins);
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
	if (layout->how.flags & PROFIL_FAULT_REGION) {
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
	pins->fast = layout->nr_bins;
	profil_charge_init(pins);
	return pins;
}

/**
 * profil_pins_create() - make the pins of a layout in current's memory
 * @layout: not yet in use by a tick; all pages of a table are pinned, otherwise only the gate's
 * @lock: of the profile that will have the pins
 * @user: the account to charge
 *
 * Context: Process context, current->mm is the owner's.  May sleep, for as long as
 * that memory takes: without any lock that others could wait for.
 * Return: the pins, or an ERR_PTR: -EFAULT, -ENOMEM, -EDQUOT, -EINTR.
 */
struct profil_pins *profil_pins_create(struct profil_layout *layout, struct mutex *lock,
				       struct profil_user *user)
{
	/* A power of two, for the mask that keeps speculative execution inside the array. */
	unsigned long size = roundup_pow_of_two(max(layout->pages, 1UL));
	unsigned long pages = profil_layout_is_table(layout) ? layout->pages : 0;
	unsigned long overhead = layout->bytes >> PAGE_SHIFT;
	struct profil_pins *pins;
	int err;

	/* A pinned page's charge covers its place in the array, but here most may be missing. */
	if (!profil_layout_is_table(layout))
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
	err = profil_pins_pin(pins);
	if (!err)
		return pins;
	profil_pins_release(pins);
	return ERR_PTR(err);
}

static bool profil_page_has_error(struct page *page)
{
	return is_page_hwpoison(page);
}

static bool profil_page_is_part(struct page *page)
{
	return PageCompound(page);
}

/* Return: true if any page of a table is such a page. */
static __always_inline bool profil_pins_have(const struct profil_pins *pins,
					     bool (*such)(struct page *page))
{
	unsigned long i;

	for (i = 0; i < pins->layout->pages; i++) {
		if (such(virt_to_page(READ_ONCE(pins->page[i]))))
			return true;
		if (i % STRIDE == 0)
			cond_resched();
	}
	return false;
}

/**
 * profil_pins_check() - recheck that a table is still mapped as it was
 * @pins: of a table in current's memory, referenced
 *
 * This is how munmap, mprotect and mremap take effect.  Mappings are not looked up if
 * the kernel can tell that nothing of the kind has happened since the last check.
 *
 * Context: Process context, may sleep; no other task checks the same pins.
 * Return: 0; -EFAULT if the mapping is gone, was replaced, or is no longer writable; -EINTR,
 * -ENOMEM.
 */
int profil_pins_check(struct profil_pins *pins)
{
	const struct profil_span *span = pins->layout->spans;
	u64 changes = profil_mm_changes(pins->mm);
	int err;

	if (changes && changes == pins->changes &&
	    ((pins->single && ++pins->checks % RARELY) ||
	     !profil_pins_have(pins, profil_page_has_error)))
		return 0;
	pins->changes = 0;
	err = profil_span_same(pins, span) ? 0 : profil_span_check(pins, span);
	if (err)
		return err;
	/* The value from before the mappings were looked up. */
	pins->changes = changes;
	/* If so, the kernel unmaps a page with a memory error, unless at a bad moment. */
	pins->single = !profil_pins_have(pins, profil_page_is_part);
	return 0;
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
