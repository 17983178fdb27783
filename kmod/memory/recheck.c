// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unpinning pages before the profile ends: all of them, or those that are no longer mapped as they
 * were.
 *
 * Context: process
 */
#include "memory/pins.h"

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>

/* Pages handled at once; bounds the use of stack. */
#define BATCH	32
/* Elements of the array of pages between two chances to schedule. */
#define STRIDE	1024

/*
 * Take up to BATCH pages out of the pins, but not the gate's: all pages, or those that
 * are no longer mapped as they were.  Return: where to go on in @span.
 */
static unsigned long profil_pins_take(struct profil_pins *pins, const struct profil_span *span,
				      unsigned long i, bool all, struct page **pages,
				      unsigned int *taken)
{
	unsigned long end = min(span->pages, i + STRIDE);
	struct profil_span one = { .pages = 1 };
	unsigned int n = 0;

	lockdep_assert_held(pins->lock);
	for (; i < end && n < BATCH; i++) {
		one.start = span->start + (i << PAGE_SHIFT);
		one.first = span->first + i;
		if (!pins->page[one.first] || profil_pins_is_gate(pins->layout, one.first))
			continue;
		if (!all && profil_span_same(pins, &one))
			continue;
		pages[n++] = virt_to_page(pins->page[one.first]);
		WRITE_ONCE(pins->page[one.first], NULL);
	}
	if (n)
		profil_pins_sync(pins);
	pins->held -= n;
	*taken = n;
	return i;
}

/* Ticks that need the pages pin them again. */
static void profil_pins_forget_span(struct profil_pins *pins, const struct profil_span *span,
				    bool all)
{
	struct page *pages[BATCH];
	unsigned long i = 0;
	unsigned int n;

	while (i < span->pages) {
		mutex_lock(pins->lock);
		if (pins->gone) {
			mutex_unlock(pins->lock);
			return;
		}
		i = profil_pins_take(pins, span, i, all, pages, &n);
		mutex_unlock(pins->lock);
		unpin_user_pages_dirty_lock(pages, n, true);
		profil_charge_return(pins, n);
		cond_resched();
	}
}

/* Return: the page to unpin, which is the gate's old one. */
static struct page *profil_pins_renew_gate(struct profil_pins *pins, unsigned long index,
					   struct page *page, bool hole)
{
	struct page *before = virt_to_page(pins->page[index]);

	lockdep_assert_held(pins->lock);
	if (hole)
		WRITE_ONCE(pins->page[index], NULL);
	else if (page != before)
		WRITE_ONCE(pins->page[index], page_address(page));
	if (hole || page != before)
		profil_pins_sync(pins);
	return before;
}

/*
 * The lockless look may fail by chance, and a profile does not outlive its gate.  So the
 * gate's page is forgotten only if it can no longer be written.
 */
static int profil_pins_check_gate(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;
	struct profil_span gate = { .pages = 1 };
	struct page *page = NULL;
	int err;

	if (!layout->how.gate)
		return 0;
	gate.start = round_down(layout->how.gate, PAGE_SIZE);
	gate.first = layout->gate >> PAGE_SHIFT;
	if (!READ_ONCE(pins->page[gate.first]) || profil_span_same(pins, &gate))
		return 0;
	err = profil_page_pin(gate.start, &page);
	if (err && err != -EFAULT)
		return err;
	mutex_lock(pins->lock);
	if (!pins->gone)
		page = profil_pins_renew_gate(pins, gate.first, page, err);
	mutex_unlock(pins->lock);
	if (page)
		unpin_user_pages_dirty_lock(&page, 1, true);
	return 0;
}

/**
 * profil_pins_recheck() - unpin pages that are no longer mapped as they were
 * @pins: of a self profile in current's memory, referenced
 *
 * The next tick that needs such a page has whatever is mapped there by then pinned.
 *
 * Context: Process context, may sleep; no other task checks the same pins.
 * Return: 0, -EINTR, -ENOMEM.
 */
int profil_pins_recheck(struct profil_pins *pins)
{
	unsigned int s;

	for (s = 0; s < pins->layout->nr_spans; s++)
		profil_pins_forget_span(pins, &pins->layout->spans[s], false);
	return profil_pins_check_gate(pins);
}

/**
 * profil_pins_forget() - make room: unpin all pages but the gate's
 * @pins: in current's memory, referenced; if they are a table, no tick counts there any more
 *
 * Context: Process context, may sleep.
 */
void profil_pins_forget(struct profil_pins *pins)
{
	unsigned int s;

	for (s = 0; s < pins->layout->nr_spans; s++)
		profil_pins_forget_span(pins, &pins->layout->spans[s], true);
}
