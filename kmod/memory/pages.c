// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pins: pinning, rechecking and unpinning the pages of the counters.
 *
 * Context: process
 */
#include "memory/pins.h"

#include "base/arch.h"
#include "base/base.h"
#include "base/limits.h"

#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

/* Pages handled at once; bounds the use of stack. */
#define BATCH		32UL
/* Elements of the array of pages between two chances to schedule. */
#define STRIDE		1024UL

/**
 * profil_page_unpin() - unpin a page that ticks may have counted in
 * @page: pinned by profil_pages_pin(), and not lent
 *
 * Context: Process context, may sleep.
 */
void profil_page_unpin(struct page *page)
{
	unpin_user_pages_dirty_lock(&page, 1, true);
}

/* Point to the gate in its page; if that page is gone, to a value that keeps the gate shut. */
static void profil_pins_aim(struct profil_pins *pins)
{
	u32 *gate = &pins->gate_value;

	if (pins->gate_page)
		gate = page_address(pins->gate_page) + offset_in_page(pins->layout->how.gate);
	else if (pins->layout->how.gate)
		gate = &pins->gate_lost;
	WRITE_ONCE(pins->gate, gate);
}

static int profil_pins_pin_table(struct profil_pins *pins)
{
	const struct profil_span *table = pins->layout->spans;
	struct page *pages[BATCH];
	unsigned long i, n, nr;
	int err;

	for (i = 0; i < table->pages; i += nr) {
		nr = min(table->pages - i, BATCH);
		err = profil_pages_pin(table->start + (i << PAGE_SHIFT), nr, pages, NULL);
		if (err)
			return err;
		for (n = 0; n < nr; n++)
			pins->page[i + n] = page_address(pages[n]);
		cond_resched();
	}
	return 0;
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
	pins->fast = layout->nr_bins || layout->how.samples;
	pins->locker = capable(CAP_IPC_LOCK) ? NULL : get_current_cred();
	return pins;
}

/**
 * profil_pins_create() - create the pins of a layout in current's memory
 * @layout: a layout that no tick uses yet; all pages of a table are pinned, else only the gate's
 * @lock: the lock of the profile that will have the pins
 * @user: the account to charge
 *
 * Context: Process context, in the owner of the memory.  May sleep for as long as a page
 * takes to arrive, so the caller holds no lock that others could wait for.
 * Return: the pins, or an ERR_PTR: -EFAULT, -ENOMEM, -EDQUOT, -EINTR.
 */
struct profil_pins *profil_pins_create(struct profil_layout *layout, struct mutex *lock,
				       struct profil_user *user)
{
	/* A power of two, for the mask that keeps speculative execution inside the array. */
	unsigned long size = roundup_pow_of_two(max(layout->pages, 1UL));
	bool table = profil_layout_is_table(layout);
	unsigned long pages = table ? layout->pages : 0;
	unsigned long overhead = layout->bytes >> PAGE_SHIFT;
	struct profil_pins *pins;
	int err;

	/* The charge for a page covers its element, but here most elements may have no page. */
	if (!table)
		overhead += (array_size(size, sizeof(*pins->page)) >> PAGE_SHIFT) +
			    !!layout->how.gate;
	/* Charge before the array is allocated, because there may be a great many pages. */
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
	/*
	 * A self profile starts with only the gate's page pinned, which is charged to @user only:
	 * a program that needs no other page can run with any RLIMIT_MEMLOCK.
	 */
	if (table)
		err = profil_pins_pin_table(pins);
	else if (layout->how.gate)
		err = profil_pages_pin(round_down(layout->how.gate, PAGE_SIZE), 1,
				       &pins->gate_page, NULL);
	profil_pins_aim(pins);
	if (!err)
		return pins;
	profil_pins_release(pins);
	return ERR_PTR(err);
}

/* If memory was dropped (by MADV_DONTNEED, say), count in the page that is there now. */
static int profil_pins_renew(struct profil_pins *pins, unsigned long at, unsigned long index)
{
	struct page *page, *before;
	int err = profil_pages_pin(at, 1, &page, NULL);

	if (err)
		return err;
	mutex_lock(pins->lock);
	before = virt_to_page(pins->page[index]);
	if (pins->gone || page == before || !profil_page_same(at, page_address(page))) {
		/* The page is the same, has changed again, or is no longer needed. */
	} else if (PageAnon(page) == PageAnon(before)) {
		WRITE_ONCE(pins->page[index], page_address(page));
		profil_sections_settle();
		page = before;
	} else {
		/* Dropped memory comes back as a page of the same kind: this is another mapping. */
		err = -EFAULT;
	}
	mutex_unlock(pins->lock);
	profil_page_unpin(page);
	return err;
}

/**
 * profil_pins_check() - recheck that a table is still mapped as it was
 * @pins: the pins of a table in current's memory, referenced
 *
 * Changes by munmap(2), mprotect(2) and mremap(2) take effect here.
 *
 * Context: Process context, may sleep.
 * Return: 0; -EFAULT if the mapping is gone, was replaced, or is no longer writable; -EINTR,
 * -ENOMEM.
 */
int profil_pins_check(struct profil_pins *pins)
{
	const struct profil_span *table = pins->layout->spans;
	unsigned long i, at = table->start;
	int err = 0;

	for (i = 0; i < table->pages && !err; i++, at += PAGE_SIZE) {
		if (!profil_page_same(at, READ_ONCE(pins->page[i])))
			err = profil_pins_renew(pins, at, i);
		cond_resched();
	}
	return err;
}

/*
 * The lockless look may fail by chance, and a profile ends if it loses its gate.  So the
 * gate's page is given up only if it can no longer be written.
 */
static int profil_pins_check_gate(struct profil_pins *pins)
{
	unsigned long at = round_down(pins->layout->how.gate, PAGE_SIZE);
	struct page *before, *page = READ_ONCE(pins->gate_page);
	bool changed = false;
	int err;

	if (!page || profil_page_same(at, page_address(page)))
		return 0;
	page = NULL;
	err = profil_pages_pin(at, 1, &page, NULL);
	if (err && err != -EFAULT)
		return err;
	mutex_lock(pins->lock);
	/* A gate that has lost its page stays lost.  Another thread may have checked it later. */
	if (!pins->gone && pins->gate_page && pins->gate_page != page &&
	    (!page || profil_page_same(at, page_address(page)))) {
		before = pins->gate_page;
		WRITE_ONCE(pins->gate_page, page);
		page = before;
		profil_pins_aim(pins);
		changed = true;
	}
	mutex_unlock(pins->lock);
	if (changed) {
		/*
		 * Ticks read the gate in sections; the fork probe reads it outside sections, with
		 * interrupts off.  Wait without the lock, which other tasks may need meanwhile.
		 */
		synchronize_rcu();
		profil_sections_settle();
	}
	if (page)
		profil_page_unpin(page);
	return 0;
}

/*
 * Take up to BATCH pages out of the pins: any pages if @all is set, else those that are no longer
 * mapped as they were.  Return: the index at which to go on.
 */
static unsigned long profil_pins_take(struct profil_pins *pins, unsigned long i, bool all,
				      struct page **pages, unsigned long *taken)
{
	unsigned long end = min(pins->layout->pages, i + STRIDE);
	unsigned long n = 0;
	void *page;

	lockdep_assert_held(pins->lock);
	for (; i < end && n < BATCH; i++) {
		page = pins->page[i];
		if (!page)
			continue;
		if (!all && profil_page_same(profil_layout_address(pins->layout, i), page))
			continue;
		pages[n++] = virt_to_page(page);
		WRITE_ONCE(pins->page[i], NULL);
	}
	if (n)
		profil_sections_settle();
	WRITE_ONCE(pins->held, pins->held - n);
	*taken = n;
	return i;
}

/* Unpin pages, as profil_pins_take().  Threads whose ticks need them pin them again. */
static void profil_pins_forget_some(struct profil_pins *pins, bool all)
{
	struct page *pages[BATCH];
	unsigned long i = 0, n;
	bool gone;

	do {
		mutex_lock(pins->lock);
		gone = pins->gone;
		n = 0;
		if (!gone)
			i = profil_pins_take(pins, i, all, pages, &n);
		mutex_unlock(pins->lock);
		unpin_user_pages_dirty_lock(pages, n, true);
		profil_charge_return(pins, n);
		cond_resched();
	} while (!gone && i < pins->layout->pages);
}

/**
 * profil_pins_recheck() - unpin pages that are no longer mapped as they were
 * @pins: the pins of a self profile in current's memory, referenced
 *
 * When a tick next needs such a page, its thread pins the page that is mapped there by then.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR, -ENOMEM.
 */
int profil_pins_recheck(struct profil_pins *pins)
{
	profil_pins_forget_some(pins, false);
	return profil_pins_check_gate(pins);
}

/**
 * profil_pins_forget() - make room: unpin all pages but the gate's
 * @pins: the pins of a self profile in current's memory, referenced
 *
 * Context: Process context, may sleep.
 */
void profil_pins_forget(struct profil_pins *pins)
{
	profil_pins_forget_some(pins, true);
}

/**
 * profil_pins_put() - drop a reference
 * @pins: freed with the last reference; until then, their layout keeps the module loaded
 *
 * Context: Process context.
 */
void profil_pins_put(struct profil_pins *pins)
{
	if (!refcount_dec_and_test(&pins->refs))
		return;
	put_cred(pins->locker);
	profil_user_put(pins->user);
	mmdrop(pins->mm);
	profil_layout_put_here(pins->layout);
	bitmap_free(pins->holes);
	kvfree(pins);
}

/**
 * profil_pins_release() - unpin, give back the charges, and drop the profile's reference
 * @pins: pins that no tick can reach any more
 *
 * Context: Process context, any task; without locks of ours.
 */
void profil_pins_release(struct profil_pins *pins)
{
	unsigned long i;

	for (i = 0; i < pins->layout->pages; i++) {
		/* Most elements may have no page. */
		if (pins->page[i])
			profil_page_unpin(virt_to_page(pins->page[i]));
		if (i % STRIDE == 0)
			cond_resched();
	}
	if (pins->gate_page)
		profil_page_unpin(pins->gate_page);
	profil_charge_return(pins, pins->held);
	profil_user_uncharge_pages(pins->user, pins->overhead);
	profil_pins_put(pins);
}
